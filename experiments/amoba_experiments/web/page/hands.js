// Moves on a board: by dragging, two clicks, touch or keys. A swipe scrolls the page and moves nothing.
import {say} from "./dom.js";

const THRESHOLD = {mouse: 3, touch: 10, pen: 10}, // pixels, from which a press is a drag or swipe
  NEAR = 56;
export const WAYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

export class Hands {
  /** @type {{cell: number, x: number, y: number, moved: boolean, touch: boolean, man: boolean, fresh: boolean} | null} */ down =
    null;

  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    const {svg} = board;
    svg.addEventListener("pointerdown", event => this.press(event));
    svg.addEventListener("pointermove", event => this.move(event));
    svg.addEventListener("pointerup", event => this.release(event));
    svg.addEventListener("pointercancel", () => this.cancel());
    svg.addEventListener("pointerleave", () => this.hover(null));
    svg.addEventListener(
      "touchstart",
      event => {
        if (this.down?.man) event.preventDefault(); // drags a man, and does not scroll
      },
      {passive: false},
    );
    svg.addEventListener("keydown", event => this.key(event));
    svg.addEventListener("focusin", event => {
      const on = /** @type {any} */ (event.target).closest("[data-cell]");
      if (on) board.point(+on.dataset.cell);
    });
  }

  where(event) {
    const matrix = this.board.svg.getScreenCTM();
    if (!matrix) return [0, 0];
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [point.x, point.y];
  }

  /** @returns {number | null} */
  nearest(event) {
    const [x, y] = this.where(event);
    let best = null,
      least = NEAR;
    this.board.seen.forEach(([a, b], cell) => {
      const d = Math.hypot(a - x, b - y);
      if (d < least) {
        least = d;
        best = cell;
      }
    });
    return best;
  }

  press(event) {
    const {board} = this;
    this.down = null;
    if (event.button || !event.isPrimary || !board.board || !board.live) return;
    const cell = this.nearest(event);
    if (cell === null) return;
    const touch = event.pointerType !== "mouse",
      man = !board.asking && Boolean(board.targets?.men?.[cell]),
      fresh = man && board.held !== cell;
    this.down = {cell, x: event.clientX, y: event.clientY, moved: false, touch, man, fresh};
    if (man || !touch) {
      event.preventDefault();
      board.svg.setPointerCapture(event.pointerId);
      board.focus(cell);
    }
    if (fresh) board.hold(cell);
  }

  move(event) {
    const {board, down} = this;
    if (!down) {
      if (event.pointerType === "mouse" && board.board) this.hover(this.nearest(event));
      return;
    }
    const far = Math.hypot(event.clientX - down.x, event.clientY - down.y);
    if (!down.moved && far <= THRESHOLD[event.pointerType]) return;
    down.moved = true;
    const node = board.held === down.cell && board.piece.get(down.cell)?.node;
    if (!node) return;
    const [x, y] = this.where(event),
      [a, b] = board.seen[down.cell],
      t = (-board.turn * Math.PI) / 180,
      dx = x - a,
      dy = y - b;
    node.setAttribute(
      "transform",
      `translate(${dx * Math.cos(t) - dy * Math.sin(t)} ${dx * Math.sin(t) + dy * Math.cos(t)})`,
    );
    board.pieces.append(node);
  }

  hover(cell) {
    const {board} = this;
    if (board.over === cell || !board.position) return;
    board.over = cell;
    board.haunt();
  }

  release(event) {
    const {board, down} = this;
    this.down = null;
    if (!down) return;
    const cell = this.nearest(event);
    if (down.moved && down.man) {
      if (board.held !== down.cell) return;
      if (cell !== null && cell !== down.cell) board.go(down.cell, cell);
      else {
        board.held = null;
        board.back(down.cell);
      }
    } else if (cell === down.cell && !(down.touch && down.moved)) {
      board.focus(cell);
      board.act(cell, down.fresh);
    }
  }

  cancel() {
    if (this.down?.man) this.board.drop();
    this.down = null;
  }

  key(event) {
    const {board} = this;
    if (WAYS[event.key]) this.step(...WAYS[event.key]);
    else if (event.key === "Enter" || event.key === " ") board.act(board.cursor);
    else if (event.key === "Escape") {
      board.drop();
      say("put back");
    } else return;
    event.preventDefault();
  }

  step(dx, dy) {
    const {board} = this,
      [x, y] = board.seen[board.cursor];
    let best = null,
      least = Infinity;
    board.seen.forEach(([a, b], cell) => {
      const on = (a - x) * dx + (b - y) * dy,
        aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
      if (on > 20 && aside <= on * 1.01 && on + 2 * aside < least) {
        least = on + 2 * aside;
        best = cell;
      }
    });
    if (best !== null) board.focus(best);
  }
}
