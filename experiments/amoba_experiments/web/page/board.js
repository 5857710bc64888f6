// The board, drawn from the server's geometry. Moves are made by dragging, two clicks, touch or keys.
// It knows no rules: the server sends the legal moves as `targets`.
import {s, say} from "./dom.js";

const THRESHOLD = 3,
  NEAR = 56,
  calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  /** @type {any} */ board; // the game's geometry, as the server sent it
  /** @type {any} */ room; // the last message of the server
  /** @type {Map<number, SVGElement>} */ piece = new Map();

  /**
   * @param {SVGSVGElement} svg
   * @param {{onmove: (move: string) => void, onwhy: (cell: string) => void, onpending: (on: boolean) => void}} heard
   */
  constructor(svg, {onmove, onwhy, onpending}) {
    this.svg = svg;
    this.onmove = onmove;
    this.onwhy = onwhy;
    this.onpending = onpending;
    this.what = "";
    this.turn = 0;
    this.better = [];
    this.options = {numbers: false, coordinates: true, confirm: false, distances: false};
    this.held = this.pending = this.hint = null;
    this.cursor = 0;
    svg.addEventListener("pointerdown", event => this.press(event));
    svg.addEventListener("pointermove", event => this.drag(event));
    svg.addEventListener("pointerup", event => this.release(event));
    svg.addEventListener("pointercancel", () => this.drop());
    svg.addEventListener("keydown", event => this.key(event));
    svg.addEventListener("focusin", event => {
      const on = /** @type {any} */ (event.target).closest("[data-cell]");
      if (on) this.point(+on.dataset.cell);
    });
  }

  setup(board, seat) {
    const turn = seat === undefined ? 0 : board.turns[seat];
    const what = JSON.stringify([board.game, board.options, turn]);
    if (this.what === what) return;
    this.what = what;
    this.board = board;
    this.turn = turn;
    const [x, y, wide, high] = board.box,
      xs = board.points.map(p => p[0]),
      ys = board.points.map(p => p[1]);
    const cx = (Math.min(...xs) + Math.max(...xs)) / 2,
      cy = (Math.min(...ys) + Math.max(...ys)) / 2;
    this.centre = [cx, cy];
    const a = (turn * Math.PI) / 180,
      cos = Math.cos(a),
      sin = Math.sin(a);
    const around = (/** @type {number[]} */ [px, py]) => [
      cx + (px - cx) * cos - (py - cy) * sin,
      cy + (px - cx) * sin + (py - cy) * cos,
    ];
    this.seen = board.points.map(around);
    this.svg.replaceChildren();
    const all = s("g", {transform: `rotate(${turn} ${cx} ${cy})`});
    this.ground = s("g", {class: "ground", "aria-hidden": "true"});
    const parsed = new DOMParser().parseFromString(
      `<svg xmlns="http://www.w3.org/2000/svg">${board.ground}</svg>`,
      "image/svg+xml",
    );
    this.ground.append(...[...parsed.documentElement.childNodes].map(node => document.importNode(node, true)));
    this.ground.querySelector(".page")?.remove();
    this.svg.setAttribute("viewBox", `${x} ${y} ${wide} ${high}`);
    if (turn) {
      for (const text of this.ground.querySelectorAll("[text-anchor=end] text")) {
        // around their centre
        text.setAttribute(
          "x",
          text.getAttribute("x") -
            0.31 * text.textContent.length * text.closest("[font-size]").getAttribute("font-size"),
        );
        text.setAttribute("text-anchor", "middle");
      }
      const texts = [...this.ground.querySelectorAll("text")],
        spots = texts.map(text => [+text.getAttribute("x"), +text.getAttribute("y")]);
      texts.forEach((text, i) => {
        text.setAttribute("transform", `rotate(${-turn} ${spots[i].join(" ")})`);
      });
      const [across, down] = [0, 1].map(axis => [
        ...this.seen.map(p => p[axis] - 75),
        ...this.seen.map(p => p[axis] + 75),
        ...spots.map(p => around(p)[axis] - 30),
        ...spots.map(p => around(p)[axis] + 30),
      ]);
      this.svg.setAttribute(
        "viewBox",
        `${Math.min(...across)} ${Math.min(...down)} ${Math.max(...across) - Math.min(...across)} ${Math.max(...down) - Math.min(...down)}`,
      );
    }
    this.below = s("g", {"aria-hidden": "true"});
    this.pieces = s("g", {"aria-hidden": "true"});
    this.above = s("g", {class: "above", "aria-hidden": "true"});
    all.append(this.ground, this.below, this.pieces, this.above, this.cells());
    this.svg.append(all);
  }

  cells() {
    const grid = s("g", {role: "grid", "aria-label": "board"}),
      rows = new Map();
    this.cell = this.board.points.map(([x, y], cell) => {
      const hit = s(
        "g",
        {role: "gridcell", tabindex: cell === this.cursor ? 0 : -1, "data-cell": cell},
        s("circle", {class: "hit", cx: x, cy: y, r: 50}),
        s("circle", {class: "focus", cx: x, cy: y, r: 47}),
      );
      const y0 = this.board.rows[cell];
      if (!rows.has(y0)) rows.set(y0, s("g", {role: "row"}));
      rows.get(y0).append(hit);
      return hit;
    });
    grid.append(...rows.values());
    return grid;
  }

  text(cell, words, given) {
    const [x, y] = this.board.points[cell];
    return s("text", {x, y, dy: ".35em", transform: `rotate(${-this.turn} ${x} ${y})`, ...given}, String(words));
  }

  // `room`: the server's message; `position`: the position to show, from the room or earlier in the game.
  show(room, position) {
    const before = this.position,
      old = this.room;
    this.room = room;
    this.position = position || room.position;
    this.live = !position;
    this.targets = this.live ? room.targets : null;
    if (!old || old.at[0] !== room.at[0] || old.at[1] !== room.at[1] || !this.live)
      this.held = this.pending = this.hint = null;
    this.paint();
    const p = this.position;
    if (
      this.board.men &&
      before &&
      before !== p &&
      p.way.length > 1 &&
      before.cells[p.from] >= 0 &&
      p.cells[p.last] >= 0 &&
      before.last !== p.last
    )
      this.slide(p);
    this.label();
  }

  paint() {
    const {position: p, board} = this,
      circle = (cell, given) => s("circle", {cx: board.points[cell][0], cy: board.points[cell][1], ...given});
    this.svg.classList.toggle("plain", !this.options.coordinates);
    this.below.replaceChildren(...p.won.map(cell => circle(cell, {class: "won", r: 56})));
    this.piece = new Map();
    this.pieces.replaceChildren(
      ...p.cells.flatMap((seat, cell) => {
        if (seat < 0) return [];
        const made = circle(cell, {
          class: `piece${cell === this.held ? " held" : ""}`,
          r: board.radius,
          fill: p.fills[seat],
        });
        this.piece.set(cell, made);
        return [made];
      }),
    );
    const above = [];
    if (p.way.length > 1)
      above.push(s("path", {class: "way", d: "M" + p.way.map(cell => board.points[cell].join(" ")).join("L")}));
    if (p.from !== null) above.push(circle(p.from, {class: "from", r: 30}));
    const numbers = this.options.numbers && !board.men ? this.numbers() : new Map();
    const far = (this.options.distances && this.live && this.room.far) || {};
    if (p.last !== null && !numbers.size && !(p.last in far))
      above.push(circle(p.last, {class: "last", r: 18, stroke: ink(p.fills[p.cells[p.last]])}));
    for (const [cell, number] of numbers)
      above.push(
        this.text(cell, number, {
          fill: ink(p.fills[p.cells[cell]]),
          "font-size": 44,
          class: cell === p.last ? "newest" : null,
        }),
      );
    for (const [cell, steps] of Object.entries(far))
      if (p.cells[cell] >= 0)
        above.push(
          this.text(+cell, steps, {
            fill: ink(p.fills[p.cells[cell]]),
            "font-size": 44,
            class: +cell === p.last ? "newest" : null,
          }),
        );
    for (const cell of p.forbidden)
      above.push(
        circle(cell, {class: "forbidden", r: 26}),
        s("path", {class: "forbidden", d: cross(board.points[cell])}),
      );
    for (const cell of p.offered)
      above.push(circle(cell, {class: "offered", r: 30}), this.text(cell, "?", {"font-size": 44, class: "ink"}));
    for (const cell of this.shown()) above.push(circle(cell, {class: "target", r: 15}));
    if (this.held !== null) above.push(circle(this.held, {class: "holding", r: 47}));
    if (this.pending !== null) above.push(circle(this.pending, {class: "pending", r: board.radius}));
    for (const cell of this.better || []) above.push(circle(cell, {class: "better", r: 47}));
    if (this.hint) for (const cell of this.hint) above.push(circle(cell, {class: "hint", r: 47}));
    this.above.replaceChildren(...above);
    this.svg.classList.toggle("mine", !!this.targets);
  }

  numbers() {
    const found = new Map(),
      cells = [...new Set(this.room.actions.slice().reverse())].reverse().filter(a => a < this.position.cells.length);
    let number = 0;
    for (const cell of cells)
      if (this.room.position.cells[cell] >= 0) {
        number += 1;
        if (this.position.cells[cell] >= 0) found.set(cell, number);
      }
    return found;
  }

  // Mark the targets of the held man. Men that can move and the free cells of placing games need no marks.
  shown() {
    return this.held !== null && this.targets?.men ? this.targets.men[this.held] || [] : [];
  }

  legal(from, to) {
    if (!this.targets) return false;
    return this.targets.men ? (this.targets.men[from] || []).includes(to) : this.targets.cells.includes(to);
  }

  label() {
    const {position: p, board} = this;
    this.cell.forEach((cell, i) => {
      const seat = p.cells[i],
        what =
          seat >= 0
            ? `${p.colors[seat]}${this.room.mine.includes(seat) ? ", yours" : ""}`
            : p.offered.includes(i)
              ? "offered"
              : p.forbidden.includes(i)
                ? "empty, forbidden"
                : "empty";
      const more =
        i === this.held ? ", held" : this.shown().includes(i) ? ", may go there" : i === p.last ? ", last move" : "";
      cell.setAttribute("aria-label", `${board.names[i]} ${what}${more}`);
      cell.setAttribute("aria-selected", String(i === this.held));
    });
  }

  slide(p, from) {
    const piece = this.piece.get(p.last);
    if (!piece || calm.matches) return;
    const [x, y] = this.board.points[p.last];
    const frames = (from || p.way).map(cell => {
      const [a, b] = this.board.points[cell];
      return {transform: `translate(${a - x}px, ${b - y}px)`};
    });
    piece.animate(frames, {duration: Math.min(900, 180 * (frames.length - 1)), easing: "ease-in-out"});
  }

  // --- pointer ---

  where(event) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return [0, 0];
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [point.x, point.y];
  }

  /** @param {number[]} at */
  nearest([x, y]) {
    let best = null,
      least = NEAR;
    this.seen.forEach(([a, b], cell) => {
      const d = Math.hypot(a - x, b - y);
      if (d < least) {
        least = d;
        best = cell;
      }
    });
    return best;
  }

  press(event) {
    if (event.button || !this.board || !this.live) return;
    const cell = this.nearest(this.where(event));
    if (cell === null) return;
    this.down = {cell, x: event.clientX, y: event.clientY, moved: false, was: this.held};
    this.svg.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.focus(cell);
    if (this.asking) return;
    if (this.targets?.men?.[cell] && this.held !== cell) {
      this.hold(cell);
      this.down.fresh = true;
    }
  }

  drag(event) {
    if (!this.down) return;
    if (!this.down.moved && Math.hypot(event.clientX - this.down.x, event.clientY - this.down.y) <= THRESHOLD) return;
    this.down.moved = true;
    const [x, y] = this.where(event);
    if (this.board.men) {
      const piece = this.held === this.down.cell && this.piece.get(this.held);
      if (piece) {
        const [a, b] = this.seen[this.held],
          t = (-this.turn * Math.PI) / 180,
          dx = x - a,
          dy = y - b;
        piece.setAttribute(
          "transform",
          `translate(${dx * Math.cos(t) - dy * Math.sin(t)} ${dx * Math.sin(t) + dy * Math.cos(t)})`,
        );
        this.pieces.append(piece);
      }
    } else if (this.targets) {
      const cell = this.nearest([x, y]);
      this.pending = cell !== null && this.targets.cells.includes(cell) ? cell : null;
      this.paint();
    }
  }

  release(event) {
    const down = this.down;
    this.down = null;
    if (!down) return;
    const cell = this.nearest(this.where(event));
    if (!down.moved) {
      this.act(down.cell, down.fresh);
      return;
    }
    if (!this.board.men) {
      if (cell !== null) this.act(cell);
      return;
    }
    if (this.held !== down.cell) return;
    if (cell !== null && cell !== this.held) this.go(this.held, cell);
    else {
      this.held = null;
      this.back(down.cell);
    }
  }

  drop() {
    this.down = null;
    this.held = this.pending = null;
    if (this.position) this.paint();
  }

  back(cell) {
    // slides back to its cell
    const piece = this.piece.get(cell),
      at = piece?.getAttribute("transform");
    this.paint();
    this.label();
    if (at && !calm.matches)
      this.piece
        .get(cell)
        ?.animate([{transform: at.replace(/ /g, "px,").replace(")", "px)")}, {transform: "none"}], 200);
  }

  // A click, a tap or Enter on a cell.
  act(cell, fresh) {
    if (this.asking) {
      this.asking = false;
      this.svg.classList.remove("asking");
      this.onwhy(this.board.names[cell]);
      return;
    }
    if (!this.targets) return;
    if (!this.board.men) {
      this.go(null, cell);
      return;
    }
    if (fresh) return;
    if (cell === this.held) this.hold(null);
    else if (this.held !== null && this.targets.men[cell] === undefined) this.go(this.held, cell);
    else if (this.targets.men[cell]) this.hold(cell);
    else say(this.position.cells[cell] >= 0 ? "this man cannot move now" : "hold a man first");
  }

  hold(cell) {
    this.held = cell;
    this.paint();
    this.label();
    say(cell === null ? "put back" : `${this.board.names[cell]} held, ${this.targets.men[cell].length} targets`);
  }

  go(from, to) {
    const legal = this.legal(from, to);
    if (legal && this.options.confirm && this.pending !== to) {
      this.pending = to;
      this.paint();
      this.onpending(true);
      say(`${this.board.names[to]}: confirm`);
      return;
    }
    const move = from === null ? this.board.names[to] : `${this.board.names[from]}-${this.board.names[to]}`;
    this.held = this.pending = null;
    this.onpending(false);
    if (!legal && from !== null) this.back(from);
    else {
      this.paint();
      this.label();
    }
    this.targets = null; // until the server has answered
    this.onmove(move);
  }

  confirm() {
    if (this.pending !== null) this.go(this.held, this.pending);
  }

  // --- keys ---

  point(cell) {
    this.cell[this.cursor]?.setAttribute("tabindex", "-1");
    this.cursor = cell;
    this.cell[cell].setAttribute("tabindex", "0");
  }

  focus(cell) {
    this.point(cell);
    this.cell[cell].focus({preventScroll: true});
  }

  key(event) {
    const ways = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (ways[event.key]) this.step(...ways[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.act(this.cursor);
    else if (event.key === "Escape") {
      this.drop();
      this.onpending(false);
      this.label();
      say("put back");
    } else return;
    event.preventDefault();
  }

  step(dx, dy) {
    const [x, y] = this.seen[this.cursor];
    let best = null,
      least = Infinity;
    this.seen.forEach(([a, b], cell) => {
      const on = (a - x) * dx + (b - y) * dy,
        aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
      if (on > 20 && aside <= on * 1.01 && on + 2 * aside < least) {
        least = on + 2 * aside;
        best = cell;
      }
    });
    if (best !== null) this.focus(best);
  }
}

function ink(color) {
  const [r, g, b] = [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 125 ? "#16161a" : "#ffffff";
}

const cross = ([x, y]) => `M${x - 13} ${y - 13}l26 26M${x + 13} ${y - 13}l-26 26`;
