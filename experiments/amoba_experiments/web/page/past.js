// Looking back through a game: the slider and the list of moves, and the position that they show.
import {ask, h} from "./dom.js";

export class Past {
  /** @type {Promise<any[]> | null} */ positions = null; // of the whole game, once they are looked at
  /** @type {any} */ position; // the one shown, if it is not the newest
  /** @type {number | null} */ looking = null; // number of moves played in it; null: the newest

  constructor(room) {
    this.room = room;
    const step = (label, text, act) => h("button", {type: "button", "aria-label": label, onclick: act}, text);
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      "aria-label": "move shown",
      oninput: () => this.look(+this.slider.value),
    });
    this.steps = h(
      "div",
      {class: "steps"},
      step("first position", "\u21e4", () => this.look(0)),
      step("one move back", "\u2190", () => this.look(this.at() - 1)),
      this.slider,
      step("one move on", "\u2192", () => this.look(this.at() + 1)),
      step("last position", "\u21e5", () => this.look(Infinity)),
    );
    this.list = h("ol", {class: "moves", onkeydown: event => this.step(event)});
  }

  // The position has changed.
  forget() {
    this.looking = null;
    this.positions = null;
  }

  at() {
    return this.looking ?? this.room.now.moves.length;
  }

  async look(at) {
    const {room} = this,
      {now} = room,
      number = Math.max(0, Math.min(now.moves.length, at)),
      newest = number === now.moves.length;
    this.wanted = number;
    try {
      this.positions ??= newest ? null : ask(`${room.path}/positions`, undefined, room.key);
      const past = newest ? undefined : (await this.positions)?.[number];
      if (room.now.at.join() !== now.at.join() || this.wanted !== number) return; // it is about an earlier wish
      this.position = past;
      this.looking = past ? number : null;
      room.redraw();
    } catch (error) {
      this.positions = null;
      room.tell(error.message, true);
    }
  }

  // The arrows on the list of moves, which is one tab stop.
  step(event) {
    const to = {ArrowLeft: this.at() - 1, ArrowRight: this.at() + 1, Home: 1, End: Infinity}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.look(Math.max(1, to)).then(() => this.list.querySelector(".now")?.focus());
  }

  // The list of moves; its buttons stay, so that the focus does.
  draw() {
    const {moves} = this.room.now,
      at = this.at(),
      rows = this.list.children;
    while (rows.length > moves.length) this.list.lastChild.remove();
    while (rows.length < moves.length) {
      const number = rows.length + 1;
      this.list.append(h("li", null, h("button", {type: "button", onclick: () => this.look(number)})));
    }
    moves.forEach((move, i) => {
      const button = rows[i].firstChild,
        text = `${i + 1}. ${move}`;
      if (button.textContent !== text) button.textContent = text;
      button.classList.toggle("now", i + 1 === at);
      button.tabIndex = i + 1 === Math.max(1, at) ? 0 : -1;
      button.dataset.mark = this.room.review.mark(i + 1);
    });
    const here = this.list.querySelector(".now");
    if (here) this.list.scrollTop = here.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
    this.slider.max = moves.length;
    this.slider.value = at;
  }
}
