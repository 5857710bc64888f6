// What a search sees in a position: the value, the best moves, a win by fours; and their marks on the board.
import {button, h} from "./dom.js";
import {color, signed, title, worth} from "./words.js";

export class Candidates {
  /** @type {any} */ shown; // the position
  /** @type {any} */ found; // what the search sees in it
  /** @type {number | null} */ pointed = null; // the candidate whose line is on the board

  /**
   * @param {any} board
   * @param {{onmove: (move: string) => void, onadd: (line: string[]) => void, onmarks: (marks: any[]) => void}} heard
   */
  constructor(board, {onmove, onadd, onmarks}) {
    this.board = board;
    this.onmove = onmove;
    this.onadd = onadd;
    this.onmarks = onmarks;
    this.cells = new Map(board.names.map((name, cell) => [name, cell]));
    this.worths = h("div", {class: "worths"});
    this.waits = h("p", {class: "waits"});
    this.best = h("ol", {class: "candidates", onpointerleave: () => this.point(null)});
    this.element = h("div", {class: "seen"}, this.worths, this.waits, this.best);
  }

  wait(text) {
    this.waits.textContent = text;
  }

  // `waits`: what is said while nothing is found.
  show(shown, found, waits) {
    const {colors, fills} = shown.position,
      {game} = this.board,
      values = found?.values;
    this.shown = shown;
    this.found = found;
    this.pointed = null;
    this.worths.hidden = this.best.hidden = !values;
    this.wait(found ? said(found, shown) : waits);
    const seats = colors.map((_, seat) => seat).slice(0, colors.length === 2 ? 1 : undefined),
      rows = (found?.best || []).map((each, i) => this.row(each, i));
    if (found?.fours.length > 2) rows.unshift(this.fours(found.fours));
    this.worths.replaceChildren(
      ...(values ? seats.map(seat => bar(color(game, colors[seat]), values[seat], fills, seat)) : []),
    );
    const focused = [...this.best.querySelectorAll("button")].indexOf(/** @type {any} */ (document.activeElement));
    this.best.replaceChildren(...rows);
    if (focused >= 0) rows[focused]?.querySelector("button").focus();
    this.mark();
  }

  row(each, i) {
    const number = h("span", {class: "number", "aria-hidden": "true"}, i + 1),
      act = button([number, h("b", null, each.move), h("span", null, worth(each))], () => this.onmove(each.move));
    return this.pointing(i, act, each.line.split(" ").slice(1));
  }

  fours(line) {
    const text = [h("b", null, "Win by fours"), h("span", null, `${(line.length + 1) >> 1} moves`)],
      act = button(text, () => this.onadd(line), {title: "adds the line as a variation"});
    return this.pointing(-1, act, line);
  }

  // A row that shows its line on the board while the pointer or the focus is there.
  pointing(i, act, line) {
    const on = () => this.point(i);
    return h(
      "li",
      {onpointerenter: on, onfocusin: on, onfocusout: () => this.point(null)},
      act,
      h("small", null, line.join(" ")),
    );
  }

  // Show the line of a candidate on the board; -1: the win by fours; null: the candidates.
  point(i) {
    if (this.pointed === i) return;
    this.pointed = i;
    this.mark();
  }

  mark() {
    const {found, shown} = this,
      stones = !this.board.men && this.board.players === 2 && shown.targets.stone === shown.mover,
      at = move => {
        const cells = move.split("-").map(name => this.cells.get(name));
        return cells.length > 1 ? {from: cells[0], cell: cells[1]} : {cell: cells[0]};
      };
    const line =
      this.pointed === null ? null : this.pointed < 0 ? found.fours : found.best[this.pointed].line.split(" ");
    const marks = line
      ? line.map((move, i) => ({
          ...at(move),
          text: String(i + 1),
          seat: stones ? (i % 2 ? 1 - shown.mover : shown.mover) : undefined,
        }))
      : (found?.best || []).map((each, i) => ({...at(each.move), text: String(i + 1)}));
    this.onmarks(marks.filter(each => each.cell !== undefined).reverse()); // the first one is on top
  }
}

function said(found, shown) {
  if (!found.values) return "Positions in an opening phase are not searched.";
  return shown.mover === null ? "The game is over." : "";
}

function bar(name, value, fills, seat) {
  const part = h("span", {class: "part"}),
    whole = h(
      "span",
      {
        class: "bar",
        role: "meter",
        "aria-label": `value for ${name}`,
        "aria-valuemin": -1,
        "aria-valuemax": 1,
        "aria-valuenow": value,
      },
      part,
    );
  part.style.setProperty("width", `${50 * (value + 1)}%`);
  part.style.setProperty("background", fills[seat]);
  if (fills.length === 2) whole.style.setProperty("background", fills[1 - seat]);
  return h("p", {class: "worth"}, h("span", null, title(name)), whole, h("span", {class: "value"}, signed(value)));
}
