// Other machines in a room in which only one person plays.
import {ask, h} from "./dom.js";
import {color, machines} from "./words.js";

export class Levels {
  element = h("div", {class: "levels", hidden: true});
  /** @type {Promise<any> | null} */ players = null; // for the game, once they are needed
  of = "";

  constructor(send) {
    this.send = send;
  }

  show(now, {game, options}) {
    const seats = now.machines.flatMap((machine, seat) => (machine ? [seat] : []));
    this.element.hidden = !now.alone || !seats.length;
    if (this.element.hidden) return;
    this.now = now;
    this.players ??= ask("/api/board", {game, options}).then(board => board.machines);
    this.players.then(
      names => this.draw(game, seats, names),
      () => {
        this.players = null;
      },
    );
  }

  // The fields stay, so that the focus does.
  draw(game, seats, names) {
    const {now} = this;
    if (this.of !== seats.join()) this.element.replaceChildren(...seats.map(seat => this.field(seat, names)));
    this.of = seats.join();
    seats.forEach((seat, i) => {
      const [label, select] = this.element.children[i].children;
      label.textContent = `Machine (${color(game, now.position.colors[seat])})`;
      select.value = now.names[seat];
    });
  }

  field(seat, names) {
    const id = "level-" + seat,
      change = event => this.send("level", {move: event.target.value, seat, at: undefined});
    return h("p", null, h("label", {for: id}), h("select", {id, onchange: change}, machines(names)));
  }
}
