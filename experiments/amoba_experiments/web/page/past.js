// Looking back through a game: the slider, the list of moves, and the position.
import {ask, button, h} from "./dom.js";
import {steps} from "./parts.js";

export class Past {
  /** @type {Promise<any[]> | null} */ positions = null; // of the whole game, once they are looked at
  /** @type {any} */ position; // the one shown, if it is not the newest
  /** @type {number | null} */ looking = null; // number of moves played in it; null: the newest

  constructor(room) {
    this.room = room;
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      "aria-label": "move shown",
      oninput: () => this.look(+this.slider.value),
    });
    this.steps = steps(
      () => this.look(0),
      () => this.look(this.at() - 1),
      () => this.look(this.at() + 1),
      () => this.look(Infinity),
      this.slider,
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
      const number = rows.length + 1,
        made = button("", () => this.look(number));
      this.list.append(h("li", null, made));
    }
    moves.forEach((move, i) => {
      const shown = rows[i].firstChild,
        text = `${i + 1}. ${move}`;
      if (shown.textContent !== text) shown.textContent = text;
      shown.classList.toggle("now", i + 1 === at);
      shown.tabIndex = i + 1 === Math.max(1, at) ? 0 : -1;
      shown.dataset.mark = this.room.review.mark(i + 1);
    });
    const here = this.list.querySelector(".now");
    if (here) this.list.scrollTop = here.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
    this.slider.max = moves.length;
    this.slider.value = at;
  }
}
