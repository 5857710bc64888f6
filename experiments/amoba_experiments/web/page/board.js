// The board, drawn from the server's geometry. hands.js moves on it.
// It knows no rules: the server sends the legal moves as `targets`.
import {s, say} from "./dom.js";
import {Hands} from "./hands.js";
import {ink, lights, piece} from "./pieces.js";
import {color} from "./words.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  /** @type {any} */ board; // the game's geometry, as the server sent it
  /** @type {any} */ room; // the last message of the server
  /** @type {any} */ position; // the one that is shown
  /** @type {Map<string, number>} */ index = new Map(); // the cells by name
  /** @type {Map<number, {node: SVGElement, color: string}>} */ piece = new Map();
  /** @type {{from: number | null, to: number, seat: number, at: number[]} | null} */ sent = null; // my move, until the server has answered
  /** @type {number[] | null} */ hint = null;
  /** @type {number | null} */ held = null;
  /** @type {number | null} */ pending = null; // to be confirmed
  /** @type {number | null} */ over = null; // under the mouse

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
    /** @type {{cell: number, from?: number, text: string, seat?: number}[]} */
    this.marks = []; // candidates, or the stones of a line
    this.options = {numbers: false, coordinates: true, confirm: false, distances: false};
    this.cursor = 0;
    this.hands = new Hands(this);
  }

  setup(board, seat) {
    const turn = seat === undefined ? 0 : board.turns[seat];
    const what = JSON.stringify([board.game, board.options, turn]);
    if (this.what === what) return;
    this.what = what;
    this.board = board;
    this.turn = turn;
    this.index = new Map(board.names.map((name, cell) => [name, cell]));
    this.cursor = Math.min(this.cursor, board.names.length - 1);
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
      const texts = [...this.ground.querySelectorAll("text")],
        spots = texts.map(text => [+text.getAttribute("x"), +text.getAttribute("y")]);
      for (const text of texts) text.style.transform = `rotate(${-turn}deg)`; // around its centre
      const [[left, right], [top, bottom]] = [0, 1].map(axis => {
        const cells = this.seen.flatMap(p => [p[axis] - 75, p[axis] + 75]),
          words = spots.map(around).flatMap(p => [p[axis] - 40, p[axis] + 40]);
        return [Math.min(...cells, ...words), Math.max(...cells, ...words)];
      });
      this.svg.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
    }
    const layer = name => s("g", {class: name, "aria-hidden": "true"});
    this.lights = s("defs");
    this.below = layer("below");
    this.pieces = layer("pieces");
    this.above = layer("above");
    this.marked = layer("marked");
    this.ghosts = layer("ghosts");
    this.piece = new Map();
    all.append(this.ground, this.below, this.pieces, this.above, this.marked, this.ghosts, this.cells());
    this.svg.append(this.lights, all);
    const box = this.svg.viewBox.baseVal;
    this.svg.parentElement?.style.setProperty("--aspect", String(box.width / box.height));
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

  // `room`: the server's message; `position`: what to show, of the room or earlier.
  show(room, position) {
    const before = this.position,
      old = this.room,
      sent = this.sent,
      next = !old || old.at[0] !== room.at[0] || old.at[1] !== room.at[1];
    this.room = room;
    this.position = position || room.position;
    this.live = !position;
    if (next || !this.live) {
      this.held = this.pending = this.hint = this.sent = null;
      this.onpending(false);
      this.ask(false);
    }
    this.targets = this.live && !this.sent ? room.targets : null;
    this.paint();
    const p = this.position,
      came = before && before !== p && before.last !== p.last && p.path.length > 1;
    if (came && before.cells[p.from] >= 0 && p.cells[p.last] >= 0 && sent?.to !== p.last) this.slide(p.last, p.path);
    this.label();
  }

  // My move was refused: back to what the server has.
  unsend() {
    const sent = this.sent;
    this.sent = null;
    this.targets = this.live ? this.room.targets : null;
    this.paint();
    this.label();
    if (sent && sent.from !== null) this.slide(sent.from, [sent.to, sent.from]);
  }

  // The owners of the cells, my move on its way included.
  owners() {
    const cells = this.position.cells.slice();
    if (this.sent && this.sent.from !== null) cells[this.sent.from] = -1;
    if (this.sent) cells[this.sent.to] = this.sent.seat;
    return cells;
  }

  stone(cell, seat) {
    const {board, position} = this,
      sign = board.game === "tictactoe" ? color(board.game, position.colors[seat]) : "";
    return piece(board.points[cell], board.radius, position.fills[seat], sign, this.turn);
  }

  paint() {
    const {position: p, board} = this,
      cells = this.owners(),
      circle = (cell, given) => s("circle", {cx: board.points[cell][0], cy: board.points[cell][1], ...given});
    this.svg.classList.toggle("plain", !this.options.coordinates);
    this.svg.classList.toggle("past", !this.live);
    this.lights.replaceChildren(...lights([...new Set(p.fills)], this.turn));
    this.below.replaceChildren(...p.won.map(cell => circle(cell, {class: "won", r: 56})));
    cells.forEach((seat, cell) => {
      const on = this.piece.get(cell),
        fill = seat < 0 ? "" : p.fills[seat];
      if (on && on.color !== fill) {
        on.node.remove();
        this.piece.delete(cell);
      }
      if (fill && !this.piece.has(cell)) {
        const node = this.stone(cell, seat);
        this.piece.set(cell, {node, color: fill});
        this.pieces.append(node);
      }
      const node = this.piece.get(cell)?.node;
      node?.removeAttribute("transform");
      node?.classList.toggle("held", cell === this.held);
      node?.classList.toggle("sent", cell === this.sent?.to);
    });
    const above = [],
      path = this.sent ? [] : p.path,
      from = this.sent ? this.sent.from : p.from,
      last = this.sent ? (this.sent.seat < 0 ? null : this.sent.to) : p.last;
    if (path.length > 1)
      above.push(s("path", {class: "path", d: "M" + path.map(cell => board.points[cell].join(" ")).join("L")}));
    if (from !== null) above.push(circle(from, {class: "from", r: 30}));
    const numbers = this.options.numbers && !board.men ? this.numbers() : this.distances(cells);
    if (last !== null && !numbers.size && board.game !== "tictactoe")
      above.push(circle(last, {class: "last", r: 18, stroke: ink(p.fills[cells[last]])}));
    for (const [cell, number] of numbers)
      above.push(
        this.text(cell, number, {
          fill: ink(p.fills[cells[cell]]),
          "font-size": 44,
          class: cell === last ? "newest" : null,
        }),
      );
    for (const cell of p.forbidden)
      above.push(
        circle(cell, {class: "forbidden", r: 26}),
        s("path", {class: "forbidden", d: cross(board.points[cell])}),
      );
    const offered = this.sent && this.sent.seat < 0 ? [...p.offered, this.sent.to] : p.offered;
    for (const cell of offered)
      above.push(circle(cell, {class: "offered", r: 30}), this.text(cell, "?", {"font-size": 44, class: "ink"}));
    for (const cell of this.shown()) above.push(circle(cell, {class: "target", r: 15}));
    if (this.held !== null) above.push(circle(this.held, {class: "holding", r: 47}));
    for (const cell of this.better || []) above.push(circle(cell, {class: "better", r: 47}));
    for (const cell of this.hint || []) above.push(circle(cell, {class: "hint", r: 47}));
    this.above.replaceChildren(...above);
    this.marked.replaceChildren(...this.marks.map(mark => this.mark(mark)));
    this.haunt();
    this.svg.classList.toggle("mine", !!this.targets);
  }

  mark(/** @type {{cell: number, from?: number, text: string, seat?: number}} */ {cell, from, text, seat}) {
    const {board} = this,
      [cx, cy] = board.points[cell],
      stone = seat !== undefined,
      fill = stone ? ink(this.position.fills[seat]) : null;
    return s(
      "g",
      {class: "mark"},
      from !== undefined && s("path", {d: `M${board.points[from].join(" ")}L${cx} ${cy}`}),
      stone ? this.stone(cell, seat) : s("circle", {cx, cy, r: 30}),
      this.text(cell, text, {"font-size": 40, fill}),
    );
  }

  // The stone that a click would put, and the one to be confirmed.
  haunt() {
    const cell = this.pending ?? this.over,
      may =
        cell !== null && this.targets && (this.board.men ? this.held !== null : true) && this.legal(this.held, cell),
      seat = this.board.men ? this.room.mover : this.targets?.stone;
    this.ghosts.replaceChildren(...(may && seat >= 0 ? [this.stone(cell, seat)] : []));
    if (this.pending !== null) {
      const [cx, cy] = this.board.points[this.pending];
      this.ghosts.append(s("circle", {class: "pending", cx, cy, r: 50}));
    }
  }

  // The steps left, on men.
  distances(cells) {
    const {steps} = this.board;
    if (!this.options.distances || !steps) return new Map();
    return new Map(
      cells
        .map((seat, cell) => [cell, seat])
        .filter(([, seat]) => seat >= 0)
        .map(([cell, seat]) => [cell, steps[seat][cell]]),
    );
  }

  numbers() {
    const found = new Map(),
      played = this.room.moves.map(move => this.index.get(move)).filter(cell => cell !== undefined),
      cells = [...new Set(played.reverse())].reverse(); // an offered cell can be played later: the last time counts
    let number = 0;
    for (const cell of cells)
      if (this.room.position.cells[cell] >= 0) {
        number += 1;
        if (this.position.cells[cell] >= 0) found.set(cell, number);
      }
    return found;
  }

  // Mark the targets of the held man. Men that can move and free cells need no marks.
  shown() {
    return this.held !== null && this.targets?.men ? this.targets.men[this.held] || [] : [];
  }

  legal(from, to) {
    if (!this.targets) return false;
    return this.targets.men ? (this.targets.men[from] || []).includes(to) : this.targets.cells.includes(to);
  }

  label() {
    const {position: p, board} = this,
      owners = this.owners(),
      last = this.sent ? this.sent.to : p.last;
    this.cell.forEach((cell, i) => {
      const seat = owners[i],
        what =
          seat >= 0
            ? `${color(board.game, p.colors[seat])}${this.room.mine.includes(seat) ? ", yours" : ""}`
            : p.offered.includes(i)
              ? "offered"
              : p.forbidden.includes(i)
                ? "empty, forbidden"
                : "empty";
      const more =
        i === this.held ? ", held" : this.shown().includes(i) ? ", may go there" : i === last ? ", last move" : "";
      cell.setAttribute("aria-label", `${board.names[i]} ${what}${more}`);
      cell.setAttribute("aria-selected", String(i === this.held));
    });
  }

  // A man and its mark move along these cells.
  slide(cell, path) {
    const node = this.piece.get(cell)?.node;
    if (!node || calm.matches) return;
    const [x, y] = this.board.points[cell],
      frames = path.map(stop => {
        const [a, b] = this.board.points[stop];
        return {transform: `translate(${a - x}px, ${b - y}px)`};
      }),
      timing = {duration: Math.min(900, 180 * (frames.length - 1)), easing: "ease-in-out"};
    this.pieces.append(node); // above the others
    for (const moving of [node, this.above.querySelector(".last")]) moving?.animate(frames, timing);
    for (const later of this.above.querySelectorAll(".path, .from"))
      later.animate([{opacity: 0}, {opacity: 0, offset: 0.7}, {}], timing);
  }

  back(cell) {
    // slides back to its cell
    const node = this.piece.get(cell)?.node,
      at = node?.getAttribute("transform");
    this.paint();
    this.label();
    if (at && node && !calm.matches)
      node.animate([{transform: at.replace(/ /g, "px,").replace(")", "px)")}, {transform: "none"}], 200);
  }

  // A click, a tap or Enter on a cell.
  act(cell, fresh) {
    if (this.asking) {
      this.ask(false);
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
    else say(this.position.cells[cell] >= 0 ? "this man cannot move now" : "pick up a man first");
  }

  hold(cell) {
    this.held = cell;
    this.pending = null;
    this.onpending(false);
    this.paint();
    this.label();
    const targets = cell === null ? 0 : this.targets.men[cell].length;
    say(targets ? `${this.board.names[cell]} picked up; it can go to ${targets} cells` : "put back");
  }

  go(from, to) {
    const legal = this.legal(from, to),
      dragged = from !== null && this.piece.get(from)?.node.hasAttribute("transform");
    if (legal && this.options.confirm && this.pending !== to) {
      this.pending = to;
      this.paint();
      this.onpending(true);
      say(`${this.board.names[to]}: confirm`);
      return;
    }
    const {names} = this.board,
      {mover, at} = this.room,
      seat = from === null ? this.targets.stone : mover;
    this.held = this.pending = this.over = null;
    this.onpending(false);
    this.targets = null; // until the server has answered
    if (legal) {
      this.sent = {from, to, seat, at};
      this.paint();
      this.label();
      if (from !== null && !dragged) this.slide(to, [from, to]);
    } else if (from !== null) this.back(from);
    this.onmove(from === null ? names[to] : `${names[from]}-${names[to]}`);
  }

  confirm() {
    if (this.pending !== null) this.go(this.held, this.pending);
  }

  // Whether the next click is a question about a point.
  ask(on) {
    this.asking = on;
    this.svg.classList.toggle("asking", on);
  }

  drop() {
    this.held = this.pending = null;
    this.onpending(false);
    this.ask(false);
    if (!this.position) return;
    this.paint();
    this.label();
  }

  point(cell) {
    this.cell[this.cursor]?.setAttribute("tabindex", "-1");
    this.cursor = cell;
    this.cell[cell].setAttribute("tabindex", "0");
  }

  focus(cell = this.cursor) {
    this.point(cell);
    this.cell[cell].focus({preventScroll: true});
  }
}

const cross = ([x, y]) => `M${x - 13} ${y - 13}l26 26M${x + 13} ${y - 13}l-26 26`;
