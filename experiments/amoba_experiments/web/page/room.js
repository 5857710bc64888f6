// A room: the board with its players, what the player to move can do, buttons, moves.
import {Board} from "./board.js";
import {buttons, panel} from "./buttons.js";
import {beep, call} from "./calls.js";
import {button, h, kept, s, say} from "./dom.js";
import {Levels} from "./levels.js";
import {links} from "./links.js";
import {Net} from "./net.js";
import {Offers} from "./offers.js";
import {choices, refocus, tell, toggle} from "./parts.js";
import {Past} from "./past.js";
import {Review} from "./review.js";
import {called, colored, counts, rowOf, stone} from "./seats.js";
import {pass} from "./times.js";
import {color, machine, PHASES, title, verdict} from "./words.js";

const USUAL = {
    numbers: false,
    coordinates: true,
    confirm: matchMedia("(pointer: coarse)").matches, // a finger slips
    sound: false,
  },
  MOST = 12; // in my list

export class Room {
  /** @type {any} */ now; // the room, as the server sent it last
  /** @type {any[]} */ rows = []; // of the seats, see seats.js
  /** @type {any} */ review;
  /** @type {any} */ past;
  /** @type {any} */ offers;
  /** @type {any} */ levels;
  /** @type {number | undefined} */ at;
  /** @type {any} */ view;
  /** @type {any} */ buttons;
  received = 0;

  constructor(id, key, {onopen = () => {}, onfinal}) {
    this.id = id;
    this.turn = null;
    this.key = key;
    this.path = `/api/rooms/${encodeURIComponent(id)}`;
    this.svg = s("svg", {class: "board"});
    this.build();
    this.view = new Board(this.svg, {
      onmove: move => this.move(move),
      onwhy: cell => this.net.send({ask: "why", cell}),
      onpending: on => {
        this.sure.hidden = !on;
      },
    });
    for (const [name, usual] of Object.entries(USUAL)) this.view.options[name] = kept.get(name, usual);
    this.net = new Net(id, key, {
      onboard: board => {
        onopen();
        this.board = board;
        this.heading.textContent = title(board.game);
        this.saved.replaceChildren(...links(this));
      },
      onroom: now => this.show(now),
      onanswer: (answer, asked) => this.answered(answer, asked),
      onfinal,
    });
    this.tick = setInterval(() => this.pass(), 200);
  }

  leave() {
    this.net.close();
    this.review.leave();
    clearInterval(this.tick);
  }

  send(what, more) {
    this.net.send({do: what, at: this.now.at, ...more});
  }

  move(move) {
    const took = this.turn === null ? undefined : Math.round(performance.now() - this.turn);
    this.send("move", {move, took});
  }

  build() {
    this.turnLine = h("p", {class: "turn"});
    this.back = button("Back to the game", () => this.past.look(Infinity).then(() => this.view.focus()), {
      class: "primary",
      hidden: true,
    });
    this.above = h("ul", {class: "players"});
    this.below = h("ul", {class: "players"});
    this.offers = new Offers((what, more) => this.send(what, more));
    this.levels = new Levels((what, more) => this.send(what, more));
    this.past = new Past(this);
    this.why = h("pre", {class: "why", role: "alert"});
    this.sure = button(
      "Confirm move",
      () => {
        this.view.confirm();
        this.view.focus();
      },
      {class: "primary", hidden: true},
    );
    this.choices = h("ul", {class: "choices"});
    const groups = buttons(this);
    this.buttons = Object.assign({}, ...Object.values(groups));
    this.groups = Object.entries(groups).map(([name, group]) =>
      h("div", {class: "buttons " + name, role: "group", "aria-label": name}, Object.values(group)),
    );
    this.links = h("details", null, h("summary", null, "Link, save, copy"), (this.saved = h("p")));
    this.counted = h("div", {class: "counts"});
    const box = (name, text) =>
      toggle(name, USUAL[name], text, on => {
        this.view.options[name] = on;
        this.redraw();
      });
    this.review = new Review(
      this.id,
      this.key,
      number => this.past.look(number),
      () => {
        if (this.now) this.redraw();
      },
    );
    this.heading = h("h1", {class: "unseen"}, "A room");
    this.element = h(
      "div",
      {class: "room", hidden: true},
      this.heading,
      h("section", {class: "table", "aria-label": "board and players"}, this.above, this.svg, this.below),
      h(
        "section",
        {class: "side", "aria-label": "turn and moves"},
        h("div", {class: "turns"}, this.turnLine, this.back),
        this.sure,
        this.choices,
        this.offers.element,
        this.why,
        h("div", {class: "groups"}, this.groups),
        this.levels.element,
        this.past.steps,
        this.past.list,
        this.review.element,
        this.links,
        h(
          "details",
          null,
          h("summary", null, "Show"),
          box("numbers", "Numbers on stones"),
          box("coordinates", "Coordinates"),
          box("confirm", "Confirm each move"),
          box("sound", "Sounds"),
        ),
        h("details", {open: true}, h("summary", null, "Games so far"), this.counted),
      ),
    );
  }

  name(seat) {
    return called(this.now, seat);
  }

  mine() {
    const {mover, mine} = this.now;
    return mover !== null && mine.includes(mover);
  }

  show(now) {
    const old = this.now,
      focus = refocus(this.element, () => this.view.focus());
    this.now = now;
    this.element.hidden = false;
    this.element.dataset.state = now.state;
    this.received = Date.now(); // runs on while a phone sleeps
    if (!old || old.at[0] !== now.at[0] || old.at[1] !== now.at[1]) {
      this.past.forget();
      this.turn = null;
      this.tell("");
    }
    this.turn = this.mine() ? (this.turn ?? performance.now()) : null; // when I could move
    this.view.setup(this.board, this.seat());
    this.review.room(now.phase === "over", now.mine.length > 0 || !now.machines.includes(false));
    this.redraw();
    this.announce(old);
    this.remember();
    this.people();
    this.panel();
    this.pass();
    focus();
  }

  // For "My games".
  remember() {
    const {names, mine, machines} = this.now,
      others = names.flatMap((name, seat) =>
        mine.includes(seat) || !name ? [] : [machines[seat] ? machine(name) : name],
      ),
      people = others.length ? `with ${others.join(" and ")}` : "",
      room = {id: this.id, game: this.board.game, people};
    if (this.kept === room.people || !kept.get("key." + this.id, null)) return;
    this.kept = room.people;
    kept.set("rooms", [room, ...kept.get("rooms", []).filter(each => each.id !== this.id)].slice(0, MOST));
  }

  // Whose side is at the bottom.
  seat() {
    const {mine} = this.now;
    return mine.length === 1 ? mine[0] : mine.length ? (this.at ??= mine[0]) : 0;
  }

  // What happens now.
  sentence() {
    const now = this.now,
      who = now.mover,
      {game} = this.board;
    if (now.phase === "waiting") return "Waiting for a player: send the link.";
    if (PHASES[now.phase][2]) return `${this.name(now.by)} ${PHASES[now.phase][2]}.`;
    if (now.phase === "over")
      return verdict(
        now.result,
        seat => this.name(seat),
        seat => colored(now, game, seat),
      );
    if (!this.mine()) return `${this.name(who)} ${now.thinking ? "is thinking" : "is to move"}`;
    const text = now.mine.length > 1 ? `${title(color(game, now.position.colors[who]))} to move` : "Your turn",
      {task} = now.position,
      next = now.targets?.stone;
    if (now.targets?.men || task === "move") return text;
    return `${text}: ${task}${next >= 0 ? ` (the next one is ${now.position.colors[next]})` : ""}`;
  }

  announce(old) {
    const now = this.now,
      text = this.sentence(),
      yours = this.mine() && now.mine.length < now.names.length,
      moved = old && now.moves.length > old.moves.length,
      gone = now.away.findIndex((ms, seat) => old && (ms === null) !== (old.away[seat] === null));
    call(title(this.board.game), yours);
    if (moved || (old && yours && !this.called)) beep(yours);
    this.called = yours;
    if (moved) say(`${now.moves.at(-1)}. ${text}`);
    else if (!old || old.state !== now.state) say(text);
    else if (gone >= 0) say(`${this.name(gone)} is ${now.away[gone] === null ? "back" : "away"}`);
  }

  headline() {
    const now = this.now,
      past = this.past.looking !== null,
      seat = now.result ? now.result.winner : (now.mover ?? now.by);
    this.turnLine.replaceChildren(
      past || seat === null || seat === undefined ? "" : stone(now, this.board.game, seat),
      h("span", null, past ? `You look back at move ${this.past.looking} of ${now.moves.length}.` : this.sentence()),
    );
    const look = past ? " past" : now.phase === "over" ? " over" : this.mine() ? " yours" : "";
    this.turnLine.className = "turn" + look;
    this.back.hidden = !past;
  }

  people() {
    const now = this.now,
      bottom = this.seat(),
      rows = now.names.map((_, seat) => rowOf(now, this.board.game, seat));
    this.rows = rows;
    this.below.replaceChildren(rows[bottom].element);
    this.above.replaceChildren(...[...rows.slice(bottom + 1), ...rows.slice(0, bottom)].map(each => each.element));
  }

  panel() {
    const now = this.now;
    panel(this, this.mine());
    const offered = now.targets?.choices || [];
    if (this.choices.dataset.of !== offered.join()) {
      this.choices.dataset.of = offered.join();
      this.choices.replaceChildren(...choices(offered, name => this.move(name)));
    }
    this.levels.show(now, this.board);
    this.counted.replaceChildren(...counts(now, this.board.game));
    if (now.phase === "waiting" && !this.links.open) {
      this.links.open = true;
      this.saved.replaceChildren(...links(this));
    }
  }

  cells(move) {
    return move
      .split("-")
      .map(name => this.board.names.indexOf(name))
      .filter(cell => cell >= 0);
  }

  redraw() {
    const at = this.past.at(),
      better = this.review.better(at);
    this.view.better = better === null ? [] : this.cells(better);
    this.review.show(at);
    this.past.draw();
    this.headline();
    this.view.show(this.now, this.past.looking === null ? undefined : this.past.position);
    this.buttons.far.setAttribute("aria-pressed", String(this.view.options.distances));
  }

  tell(text, refused = false) {
    tell(this.why, text, refused);
  }

  answered(answer, asked) {
    if (answer.type === "refused") {
      if (asked?.do === "move") this.view.unsend();
      if (!answer.stale) this.tell(answer.why, true);
    } else if (answer.text) this.tell(answer.text);
    else if (answer.move && asked?.ask === "hint") {
      const cells = this.cells(answer.move);
      this.view.hint = cells.length && this.view.live ? cells : null;
      this.view.paint();
      const sees = answer.sees
        ? `, and sees ${answer.sees.line} (${answer.sees.value > 0 ? "+" : ""}${answer.sees.value.toFixed(2)})`
        : "";
      this.tell(`${machine(answer.player)} would play ${answer.move}${sees}`);
    }
  }

  // Called five times a second, and after each message.
  pass() {
    const {now, rows} = this;
    if (!now) return;
    const since = Date.now() - this.received,
      gone = now.phase === "paused" ? now.by : now.away.indexOf(Math.max(...now.away)),
      may = now.claim !== null && now.claim <= since;
    pass(now, rows, this.buttons.pause, since);
    this.offers.show(now, seat => this.name(seat), may ? gone + 1 : 0);
  }
}
