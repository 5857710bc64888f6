// A room: the board with its players, what the player to move can do, buttons, moves.
import {Board} from "./board.js";
import {ask, h, kept, s, say} from "./dom.js";
import {icon} from "./icons.js";
import {Line} from "./net.js";
import {Review} from "./review.js";
import {called, colored, counts, line, stone} from "./seats.js";
import {ASKS, choice, choiceName, color, machine, plain, title, verdict} from "./words.js";

const coarse = matchMedia("(pointer: coarse)"); // a finger: moves are to be confirmed

export class Room {
  /** @type {any} */ now; // the room, as the server sent it last
  /** @type {any} */ buttons;
  /** @type {any} */ groups;
  /** @type {any} */ review;
  /** @type {Record<string, any>} */ shows = {}; // the boxes under "Show"
  /** @type {Promise<any[]> | null} */ positions = null; // of the whole game, once they are looked at
  /** @type {any} */ past; // the position shown, if it is not the newest
  /** @type {number | undefined} */ at;
  /** @type {AudioContext | undefined} */ audio;
  /** @type {number | null} */ looking = null; // number of moves played in the position shown; null: the newest
  received = 0;

  constructor(id, key, {onfinal, onnet}) {
    this.id = id;
    this.turn = null;
    this.key = key;
    this.path = `/api/rooms/${encodeURIComponent(id)}`;
    this.invites = kept.get("invites." + id, []);
    this.svg = s("svg", {class: "board"});
    this.build();
    this.view = new Board(this.svg, {
      onmove: move => this.move(move),
      onwhy: cell => this.line.send({ask: "why", cell}),
      onpending: on => {
        this.sure.hidden = !on;
      },
    });
    for (const [name, usual] of Object.entries({confirm: coarse.matches, numbers: false, coordinates: true}))
      this.view.options[name] = this.shows[name].checked = kept.get(name, usual);
    this.shows.sound.checked = kept.get("sound", false);
    this.line = new Line(id, key, {
      onboard: board => {
        this.board = board;
        document.title = `${title(board.game)} - amoba`;
        this.heading.textContent = title(board.game);
        this.saves();
      },
      onroom: now => this.show(now),
      onanswer: (answer, asked) => this.answered(answer, asked),
      onfinal,
      onnet,
    });
    this.tick = setInterval(() => this.clocks(), 200);
  }

  leave() {
    this.line.close();
    this.review.leave();
    clearInterval(this.tick);
  }

  send(what, more) {
    this.line.send({do: what, at: this.now.at, ...more});
  }

  move(move) {
    const took = this.turn === null ? undefined : Math.round(performance.now() - this.turn);
    this.send("move", {move, took});
  }

  build() {
    const button = (name, text, act, more) =>
      h("button", {type: "button", onclick: act, ...more}, icon(name), h("span", null, text));
    const plainButton = (text, act, more) => h("button", {type: "button", onclick: act, ...more}, text);
    this.turnLine = h("p", {class: "turn", role: "status"});
    this.back = plainButton("Back to the game", () => this.look(Infinity).then(() => this.view.focus()), {
      class: "primary",
      hidden: true,
    });
    this.above = h("ul", {class: "players"});
    this.below = h("ul", {class: "players"});
    this.offer = h("div", {class: "offer", role: "alert", hidden: true});
    this.why = h("pre", {class: "why", role: "alert"});
    this.sure = plainButton(
      "Confirm move",
      () => {
        this.view.confirm();
        this.view.focus();
      },
      {class: "primary", hidden: true},
    );
    this.choices = h("ul", {class: "choices"});
    this.buttons = {
      undo: button("undo", "Undo", () => this.send("undo")),
      hint: button("hint", "Hint", () => this.line.send({ask: "hint"})),
      play: button("play", "Machine move", () => this.line.send({ask: "play"})),
      why: button("why", "Why?", () => {
        this.view.asking = true;
        this.svg.classList.add("asking");
        this.tell("Click a point to see why it is forbidden or allowed, or why a five does not win.");
      }),
      far: button(
        "far",
        "Distances",
        () => {
          this.view.options.distances = !this.view.options.distances;
          this.redraw();
        },
        {"aria-pressed": "false"},
      ),
      draw: button("draw", "Offer a draw", () => this.send("draw")),
      pause: button("pause", "Pause", () => this.send(this.now.phase === "paused" ? "resume" : "pause")),
      resign: button("resign", "Resign", () => this.twice("resign", "Really resign", () => this.send("resign"))),
      newGame: button("newGame", "New game", () => {
        if (this.now.phase === "over") this.send("new");
        else this.twice("newGame", "Really give up", () => this.send("new"));
      }),
    };
    const b = this.buttons,
      group = (name, ...buttons) => h("div", {class: "buttons " + name, role: "group", "aria-label": name}, buttons);
    this.other = h("a", {href: "#"}, "Other game");
    this.groups = [
      group("help", b.undo, b.hint, b.play, b.why, b.far),
      group("offers", b.draw, b.pause),
      group("end", b.newGame, this.other, b.resign),
    ];
    this.links = h("details", null, h("summary", null, "Link, save, copy"), (this.saved = h("p")));
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      "aria-label": "move shown",
      oninput: () => this.look(+this.slider.value),
    });
    this.list = h("ol", {class: "moves", onkeydown: event => this.step(event)});
    this.counted = h("div", {class: "counts"});
    const toggle = (name, text) => {
      this.shows[name] = h("input", {
        type: "checkbox",
        onchange: event => {
          kept.set(name, event.target.checked);
          this.view.options[name] = event.target.checked;
          this.redraw();
        },
      });
      return h("label", {class: "check"}, this.shows[name], text);
    };
    const step = (label, text, act) => h("button", {type: "button", "aria-label": label, onclick: act}, text);
    this.review = new Review(
      this.id,
      this.key,
      number => this.look(number),
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
        this.offer,
        this.why,
        h("div", {class: "groups"}, this.groups),
        h(
          "div",
          {class: "steps"},
          step("first position", "\u21e4", () => this.look(0)),
          step("one move back", "\u2190", () => this.look(this.shownAt() - 1)),
          this.slider,
          step("one move on", "\u2192", () => this.look(this.shownAt() + 1)),
          step("last position", "\u21e5", () => this.look(Infinity)),
        ),
        this.list,
        this.review.element,
        this.links,
        h(
          "details",
          null,
          h("summary", null, "Show"),
          toggle("numbers", "Numbers on stones"),
          toggle("coordinates", "Coordinates"),
          toggle("confirm", "Confirm each move"),
          toggle("sound", "Sounds"),
        ),
        h("details", {open: true}, h("summary", null, "Games so far"), this.counted),
      ),
    );
  }

  // The first click asks, the second one acts.
  twice(name, words, act) {
    const button = this.buttons[name],
      label = button.querySelector("span"),
      usual = label.textContent;
    if (button.classList.contains("sure")) {
      button.blur();
      act();
      return;
    }
    const reset = () => {
      label.textContent = usual;
      button.classList.remove("sure");
      button.removeEventListener("blur", reset);
      clearTimeout(soon);
    };
    const soon = setTimeout(reset, 5000);
    label.textContent = words;
    button.classList.add("sure");
    button.addEventListener("blur", reset);
    button.focus();
    say(`${words}? Press again.`);
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
      active = /** @type {any} */ (document.activeElement),
      was = this.element.contains(active) ? active : null;
    this.now = now;
    this.element.hidden = false;
    this.element.dataset.state = now.state;
    this.received = performance.now();
    if (!old || old.at[0] !== now.at[0] || old.at[1] !== now.at[1]) {
      this.looking = null;
      this.positions = null;
      this.turn = null;
      if (old && now.moves.length > old.moves.length) this.beep();
      this.tell("");
      this.sure.hidden = true;
    }
    this.turn = this.mine() ? (this.turn ?? performance.now()) : null; // from when I can move: also after a pause, and when a guest comes
    this.view.setup(this.board, this.seat());
    this.review.room(now.phase === "over", now.mine.length > 0 || !now.machines.includes(false));
    this.redraw();
    this.announce(old);
    this.people();
    this.panel();
    this.clocks();
    if (was && (!was.isConnected || !was.checkVisibility() || was.disabled)) this.view.focus();
  }

  seat() {
    // the seat whose side is at the bottom
    const {mine} = this.now;
    return mine.length === 1 ? mine[0] : mine.length ? (this.at ??= mine[0]) : 0;
  }

  // What happens now, in a sentence.
  sentence() {
    const now = this.now,
      who = now.mover,
      {game} = this.board;
    if (now.phase === "waiting") return "Waiting for a player: send the link.";
    if (now.phase === "over")
      return verdict(
        now.result,
        seat => this.name(seat),
        seat => colored(now, game, seat),
      );
    if (now.phase === "paused") return `${this.name(now.by)} asked for a pause.`;
    if (now.phase === "left") return `${this.name(now.by)} has left.`;
    if (!this.mine()) return `${this.name(who)} ${now.thinking ? "is thinking" : "is to move"}`;
    const text = now.mine.length > 1 ? `${title(color(game, now.position.colors[who]))} to move` : "Your turn",
      task = (now.position.status.split(" to ")[1] || "move").split(",")[0],
      next = now.targets?.stone;
    if (now.targets?.men || task === "move") return text;
    return `${text}: ${task}${next >= 0 ? ` (the next one is ${now.position.colors[next]})` : ""}`;
  }

  announce(old) {
    const now = this.now,
      text = this.sentence();
    if (old && now.moves.length > old.moves.length) say(`${now.moves.at(-1)}. ${text}`);
    else if (!old || old.state !== now.state) say(text);
  }

  headline() {
    const now = this.now,
      past = this.looking !== null,
      seat = now.result ? now.result.winner : (now.mover ?? now.by);
    this.turnLine.replaceChildren(
      past || seat === null || seat === undefined ? "" : stone(now, this.board.game, seat),
      h("span", null, past ? `You look back at move ${this.looking} of ${now.moves.length}.` : this.sentence()),
    );
    const look = past ? " past" : now.phase === "over" ? " over" : this.mine() ? " yours" : "";
    this.turnLine.className = "turn" + look;
    this.back.hidden = !past;
  }

  people() {
    const now = this.now,
      bottom = this.seat(),
      lines = now.names.map((_, seat) => line(now, this.board.game, seat));
    this.watches = lines.map(each => each.clock);
    this.below.replaceChildren(lines[bottom].element);
    this.above.replaceChildren(...[...lines.slice(bottom + 1), ...lines.slice(0, bottom)].map(each => each.element));
  }

  panel() {
    const now = this.now,
      b = this.buttons,
      sits = now.mine.length > 0,
      mine = this.mine(),
      playing = now.phase === "playing",
      over = now.phase === "over",
      alone = now.alone;
    const use = (button, on, shown = sits) => {
      button.hidden = !shown;
      button.disabled = !on;
    };
    use(b.newGame, playing || now.phase === "paused" || over);
    b.newGame.classList.toggle("primary", over);
    this.other.hidden = !over && sits;
    use(b.undo, now.moves.length > 0 && (playing || (alone && over)));
    use(b.hint, mine, alone && !over);
    use(b.play, mine, alone && !over);
    use(b.why, !over, this.board.reasons);
    use(b.far, true, this.board.men);
    use(b.draw, playing, sits && !over && !(alone && now.machines.some(Boolean)));
    use(b.pause, playing || (now.phase === "paused" && now.mine.includes(now.by)), sits && !over);
    const does = now.phase === "paused" ? "Resume" : "Pause";
    b.pause.replaceChildren(icon(does.toLowerCase()), h("span", null, does));
    use(b.resign, playing || now.phase === "ready" || now.phase === "paused", sits && !over);
    for (const group of this.groups) group.hidden = ![...group.children].some(each => !each.hidden);
    const offered = now.targets?.choices || [];
    if (this.choices.dataset.of !== offered.join()) {
      this.choices.dataset.of = offered.join();
      this.choices.replaceChildren(...offered.map(name => this.choice(name)));
    }
    this.offers();
    this.counted.replaceChildren(...counts(now, this.board.game));
    if (now.phase === "waiting" && !this.links.open) {
      this.links.open = true;
      this.saves();
    }
  }

  choice(name) {
    const id = "choice-" + name;
    return h(
      "li",
      null,
      h(
        "button",
        {type: "button", class: "primary", "aria-describedby": id, onclick: () => this.move(name)},
        choiceName(name),
      ),
      h("span", {id}, choice(name)),
    );
  }

  offers() {
    const now = this.now,
      {offer} = now,
      sits = now.mine.length > 0,
      left = now.phase === "left" && sits && !now.mine.includes(now.by),
      act = (text, what, more) => h("button", {type: "button", onclick: () => this.send(what), ...more}, text),
      first = {class: "primary"};
    const of = JSON.stringify([offer, left, sits, now.agreed, now.names]);
    if (this.offer.dataset.of === of) return;
    this.offer.dataset.of = of;
    this.offer.hidden = !offer && !left;
    const parts = offer
      ? [
          h("span", null, `${this.name(offer.seat)} ${ASKS[offer.what]}.`),
          sits && !now.agreed && act("Accept", "accept", first),
          sits && act(now.agreed ? "Withdraw" : "Decline", "decline"),
        ]
      : left
        ? [
            h("span", null, `${this.name(now.by)} has left.`),
            act("Continue with a machine", "machine", first),
            act("End the game", "end"),
          ]
        : [];
    this.offer.replaceChildren(...parts.filter(Boolean));
  }

  saves() {
    const base = `${this.path}/record?format=`,
      link = `${location.origin}/#room=${encodeURIComponent(this.id)}`;
    const copy = (text, what) =>
      h(
        "button",
        {
          type: "button",
          onclick: () =>
            navigator.clipboard.writeText(what()).then(
              () => this.tell("copied"),
              () => this.tell(what()),
            ),
        },
        text,
      );
    this.saved.replaceChildren(
      ...this.invites.map((invite, i) =>
        copy(`Copy invitation${this.invites.length > 1 ? ` ${i + 1}` : ""}`, () => `${link}&invite=${invite}`),
      ),
      copy("Copy link to watch", () => link),
      copy("Copy position", () => this.view.position.text),
      ...this.board.files.map(kind => h("a", {href: base + kind, download: true}, `Save .${kind}`)),
    );
  }

  cells(move) {
    return move
      .split("-")
      .map(name => this.board.names.indexOf(name))
      .filter(cell => cell >= 0);
  }

  shownAt() {
    return this.looking ?? this.now.moves.length;
  }

  async look(at) {
    const now = this.now,
      number = Math.max(0, Math.min(now.moves.length, at)),
      newest = number === now.moves.length;
    this.wanted = number;
    try {
      this.positions ??= newest ? null : ask(`${this.path}/positions`, undefined, this.key);
      const past = newest ? undefined : (await this.positions)?.[number];
      if (this.now.at !== now.at || this.wanted !== number) return; // it is about an earlier wish
      this.past = past;
      this.looking = past ? number : null;
      this.redraw();
    } catch (error) {
      this.positions = null;
      this.tell(error.message, true);
    }
  }

  // The arrows on the list of moves, which is one tab stop.
  step(event) {
    const to = {ArrowLeft: this.shownAt() - 1, ArrowRight: this.shownAt() + 1, Home: 1, End: Infinity}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.look(Math.max(1, to)).then(() => this.list.querySelector(".now")?.focus());
  }

  // The list of moves; its buttons stay, so that the focus does.
  listed() {
    const {moves} = this.now,
      at = this.shownAt(),
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
      button.dataset.mark = this.review.mark(i + 1);
    });
    const here = this.list.querySelector(".now");
    if (here) this.list.scrollTop = here.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
    this.slider.max = moves.length;
    this.slider.value = at;
  }

  redraw() {
    const at = this.shownAt(),
      better = this.review.better(at);
    this.view.better = better === null ? [] : this.cells(better);
    this.review.show(at);
    this.listed();
    this.headline();
    this.view.show(this.now, this.looking === null ? undefined : this.past);
    this.buttons.far.setAttribute("aria-pressed", String(this.view.options.distances));
  }

  tell(text, refused = false) {
    this.why.textContent = plain(text);
    this.why.classList.toggle("info", !refused);
  }

  answered(answer, asked) {
    if (answer.type === "refused") {
      if (asked?.do === "move") this.view.unsend();
      this.tell(answer.why, true);
    } else if (answer.text) this.tell(answer.text);
    else if (answer.move && asked?.ask === "hint") {
      const cells = this.cells(answer.move);
      this.view.hint = cells.length ? cells : null;
      this.view.paint();
      const sees = answer.sees
        ? `, and sees ${answer.sees.line} (${answer.sees.value > 0 ? "+" : ""}${answer.sees.value.toFixed(2)})`
        : "";
      this.tell(`${machine(answer.player)} would play ${answer.move}${sees}`);
    }
  }

  clocks() {
    const clock = this.now?.clock;
    if (!clock) return;
    const since = performance.now() - this.received,
      text = ms => {
        const all = Math.ceil(ms / 1000);
        return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`;
      };
    clock.left.forEach((left, seat) => {
      const rest = Math.max(0, left - (seat === clock.running ? clock.elapsed + since : 0));
      this.watches[seat].textContent = text(rest);
      this.watches[seat].classList.toggle("low", rest < 10000);
    });
    if (clock.pause === null) return;
    const pause = Math.max(0, clock.pause - since); // then anybody may resume
    this.buttons.pause.disabled = pause > 0 && !this.now.mine.includes(this.now.by);
    this.buttons.pause.lastChild.textContent = pause ? `Resume (${text(pause)})` : "Resume";
  }

  beep() {
    if (!kept.get("sound", false)) return;
    const audio = (this.audio ??= new AudioContext()),
      tone = audio.createOscillator(),
      volume = audio.createGain();
    tone.frequency.value = 440;
    volume.gain.setValueAtTime(0.08, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.15);
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.16);
  }
}
