// A room: board, turn, buttons, moves, clocks, statistics.
import {Board} from "./board.js";
import {ask, h, kept, person, s, say, statement, there, title} from "./dom.js";
import {Line} from "./net.js";
import {Review} from "./review.js";

const FAILED = {
  crash: "has crashed",
  timeout: "did not answer in time",
  "illegal move": "made an illegal move",
  "cannot start": "could not be started",
  refused: "refused the game",
  error: "failed",
};
const small = matchMedia("(pointer: coarse) and (max-width: 480px)");

export async function room(main, id, key, invite) {
  if (invite && !key) {
    await invited(main, id, invite);
    return () => {};
  }
  const ui = new Room(main, id, key);
  return () => ui.leave();
}

async function invited(main, id, invite) {
  const now = await ask(`/api/rooms/${encodeURIComponent(id)}`);
  const name = h("input", {id: "name", value: kept.get("name", ""), maxlength: 40, autocomplete: "nickname"}),
    why = h("p", {class: "why", role: "alert"});
  const form = h(
    "form",
    {class: "invited"},
    h("h1", null, "You are invited"),
    h("p", null, `Players: ${now.names.filter(Boolean).join(", ") || "none yet"}.`),
    h("div", {class: "field"}, h("label", {for: "name"}, "My name"), name),
    h(
      "p",
      null,
      h("button", {class: "primary"}, "Sit down"),
      " ",
      h("a", {href: "#room=" + encodeURIComponent(id)}, "Watch only"),
    ),
    why,
    statement(),
  );
  form.addEventListener("submit", async event => {
    event.preventDefault();
    try {
      const {key} = await ask(`/api/rooms/${encodeURIComponent(id)}/join`, {
        invite,
        name: name.value.trim(),
        person: person(),
      });
      kept.set("name", name.value.trim());
      kept.set("key." + id, key);
      location.hash = "room=" + encodeURIComponent(id);
    } catch (error) {
      why.textContent = error.message;
    }
  });
  main.append(form);
}

class Room {
  /** @type {any} */ now; // the last message of the server
  /** @type {any} */ buttons;
  /** @type {any} */ positions;
  /** @type {number | undefined} */ at;
  /** @type {AudioContext | undefined} */ audio;
  /** @type {number | null} */ looking = null; // number of moves played in the position shown; null: the newest
  received = 0;

  constructor(main, id, key) {
    this.id = id;
    this.main = main;
    this.turn = null;
    this.key = key;
    this.invites = kept.get("invites." + id, []);
    this.svg = s("svg", {class: "board"});
    this.view = new Board(this.svg, {
      onmove: move => this.move(move),
      onwhy: cell => this.line.send({ask: "why", cell}),
      onpending: on => {
        this.sure.hidden = !on;
      },
    });
    this.view.options.confirm = kept.get("confirm", small.matches);
    this.view.options.numbers = kept.get("numbers", false);
    this.view.options.coordinates = kept.get("coordinates", true);
    this.review = new Review(
      id,
      key,
      number => this.look(number),
      () => {
        if (this.now) this.redraw();
      },
    );
    this.build();
    this.line = new Line(id, key, {
      onboard: board => {
        this.board = board;
        document.title = `${title(board.game)} - amoba`;
        this.heading.textContent = title(board.game);
        this.saves();
      },
      onroom: now => this.show(now),
      onanswer: (answer, asked) => this.answered(answer, asked),
      onfinal: why =>
        main.replaceChildren(
          h("p", {class: "why", role: "alert"}, why),
          h("p", null, h("a", {href: "#"}, "Choose a game")),
        ),
      onnet: text => {
        there("net").textContent = text;
      },
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
    const button = (text, act, more) => h("button", {type: "button", onclick: act, ...more}, text);
    this.turnLine = h("p", {class: "turn", role: "status"});
    this.state = h("p", {class: "state"});
    this.players = h("ol", {class: "players"});
    this.offer = h("div", {class: "offer", role: "alert", hidden: true});
    this.why = h("pre", {class: "why", role: "alert"});
    this.sure = button("Confirm move", () => this.view.confirm(), {class: "primary", hidden: true});
    this.choices = h("p", {class: "choices"});
    this.buttons = {
      newGame: button("New game", () => this.send("new")),
      undo: button("Undo", () => this.send("undo")),
      hint: button("Hint", () => this.line.send({ask: "hint"})),
      play: button("Machine move", () => this.line.send({ask: "play"})),
      why: button("Why?", () => {
        this.view.asking = true;
        this.svg.classList.add("asking");
        this.tell("Click a point to see why it is forbidden or allowed, or why a five does not win.");
      }),
      far: button(
        "Distances",
        () => {
          this.view.options.distances = !this.view.options.distances;
          this.redraw();
        },
        {"aria-pressed": "false"},
      ),
      draw: button("Offer a draw", () => this.send("draw")),
      pause: button("Pause", () => this.send(this.now.phase === "paused" ? "resume" : "pause")),
      resign: button("Resign", () => this.send("resign")),
    };
    this.links = h("details", null, h("summary", null, "Link, save, copy"), (this.saved = h("p")));
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      "aria-label": "move shown",
      oninput: () => this.look(+this.slider.value),
    });
    this.list = h("ol", {class: "moves"});
    this.counted = h("div", {class: "counts"});
    const toggle = (name, text) =>
      h(
        "label",
        {class: "check"},
        h("input", {
          type: "checkbox",
          checked: name === "sound" ? kept.get("sound", false) : this.view.options[name],
          onchange: event => {
            kept.set(name, event.target.checked);
            if (name !== "sound") {
              this.view.options[name] = event.target.checked;
              this.redraw();
            }
          },
        }),
        text,
      );
    const step = (label, text, act) => h("button", {type: "button", "aria-label": label, onclick: act}, text);
    this.heading = h("h1", {class: "unseen"}, "A room");
    this.main.append(
      this.heading,
      (this.all = h(
        "div",
        {class: "room", hidden: true},
        h(
          "section",
          {class: "table", "aria-label": "board and turn"},
          this.turnLine,
          this.offer,
          this.svg,
          h("div", {class: "under"}, this.sure, this.choices),
          this.why,
        ),
        h(
          "section",
          {class: "side", "aria-label": "players and moves"},
          this.players,
          this.state,
          h("div", {class: "buttons"}, Object.values(this.buttons), h("a", {href: "#"}, "Settings")),
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
      )),
    );
  }

  name(seat) {
    return this.now.names[seat] || "a free seat";
  }

  color(seat) {
    return this.now.position.colors[seat];
  }

  show(now) {
    const old = this.now;
    this.now = now;
    this.all.hidden = false;
    this.received = performance.now();
    const mine = now.mover !== null && now.mine.includes(now.mover);
    if (!old || old.at[0] !== now.at[0] || old.at[1] !== now.at[1]) {
      this.looking = null;
      this.positions = null;
      this.turn = null;
      if (old && now.moves.length > old.moves.length) this.beep();
      if (this.view.room) this.tell("");
      this.sure.hidden = true;
    }
    this.turn = mine ? (this.turn ?? performance.now()) : null; // from when I can move: also after a pause, and when a guest comes
    this.view.setup(this.board, this.seat());
    this.review.room(now.phase === "over", now.mine.length > 0 || !now.machines.includes(false));
    if (this.looking === null) this.redraw();
    this.headline(mine, old);
    this.people();
    this.panel(mine);
    this.clocks();
  }

  seat() {
    // the seat whose side is at the bottom
    const {mine} = this.now;
    return mine.length === 1 ? mine[0] : mine.length ? (this.at ??= mine[0]) : 0;
  }

  headline(mine, old) {
    const now = this.now,
      who = now.mover,
      seat = now.result ? now.result.winner : (who ?? now.by);
    let text;
    if (now.phase === "waiting") text = "Waiting for a player: send the link.";
    else if (now.phase === "over") text = this.verdict();
    else if (now.phase === "paused") text = `${this.name(now.by)} asked for a pause.`;
    else if (now.phase === "left") text = `${this.name(now.by)} has left.`;
    else
      text = `${mine ? (now.mine.length > 1 ? `${title(this.color(who))} to move` : "Your turn") : `${this.name(who)} ${now.thinking ? "is thinking" : "is to move"}`}`;
    const detail =
      who !== null && mine && !now.targets?.men && now.position.status.includes(" to ")
        ? now.position.status.split(" to ")[1].split(",")[0]
        : "";
    if (detail && detail !== "move") text += `: ${detail}`;
    this.turnLine.replaceChildren(seat === null || seat === undefined ? "" : this.stone(seat), h("span", null, text));
    this.turnLine.className = `turn${mine ? " yours" : ""}${now.phase === "over" ? " over" : ""}`;
    this.state.textContent = `State: ${now.state}. ${now.moves.length} moves played.`;
    const last = now.moves.at(-1);
    if (old && now.moves.length > old.moves.length) say(`${last}. ${text}`);
    else if (!old || old.state !== now.state) say(text);
  }

  verdict() {
    const {result} = this.now,
      how =
        {
          line: "a line",
          goal: "all men are home",
          full_board: "the board is full",
          resigned: "resigned",
          time: "ran out of time",
          agreed: "agreed",
          illegal: "no legal move",
          forbidden: "a forbidden move",
          max_plies: "too many moves",
          distance: "by distance",
          no_moves: "no moves",
        }[result.ending] || result.ending;
    if (result.failure)
      return `${this.name(result.by)} ${FAILED[result.failure]}${result.winner === null ? "" : `: ${this.name(result.winner)} (${this.color(result.winner)}) has won`}.`;
    if (result.by !== null)
      return `${this.name(result.by)} ${how}${result.winner === null ? "" : `: ${this.name(result.winner)} (${this.color(result.winner)}) has won`}.`;
    return result.winner === null
      ? `A draw: ${how}.`
      : `${this.name(result.winner)} (${this.color(result.winner)}) has won: ${how}.`;
  }

  stone(seat) {
    return s(
      "svg",
      {class: "stone", viewBox: "0 0 20 20", "aria-hidden": "true"},
      s("circle", {cx: 10, cy: 10, r: 8.5, fill: this.now.position.fills[seat]}),
    );
  }

  people() {
    const now = this.now;
    this.watches = now.clock ? now.clock.left.map(() => h("span", {class: "clock"})) : [];
    this.players.replaceChildren(
      ...now.names.map((name, seat) =>
        h(
          "li",
          {class: seat === now.mover ? "now" : ""},
          this.stone(seat),
          h(
            "span",
            {class: "name"},
            name || "free",
            h(
              "small",
              null,
              ` ${this.color(seat)}${now.mine.includes(seat) ? ", you" : now.machines[seat] ? ", machine" : ""}`,
            ),
          ),
          now.distances ? h("span", {class: "far"}, `${now.distances[seat]} steps`) : "",
          this.watches[seat] || "",
        ),
      ),
    );
  }

  panel(mine) {
    const now = this.now,
      b = this.buttons,
      sits = now.mine.length > 0,
      playing = now.phase === "playing",
      alone = now.alone;
    const use = (button, on, shown = sits) => {
      button.hidden = !shown;
      button.disabled = !on;
    };
    use(b.newGame, now.phase === "over" || playing || now.phase === "paused");
    use(b.undo, now.moves.length > 0 && (playing || (alone && now.phase === "over")));
    use(b.hint, mine, alone);
    use(b.play, mine, alone);
    use(b.why, now.phase !== "over", this.board.reasons);
    use(b.far, true, this.board.men);
    use(b.draw, playing, sits && !(alone && now.machines.some(Boolean)));
    use(b.pause, playing || (now.phase === "paused" && now.mine.includes(now.by)));
    b.pause.textContent = now.phase === "paused" ? "Resume" : "Pause";
    use(b.resign, playing || now.phase === "ready" || now.phase === "paused");
    b.far.setAttribute("aria-pressed", String(this.view.options.distances));
    this.choices.replaceChildren(
      ...(now.targets?.choices || []).map(choice =>
        h(
          "button",
          {type: "button", class: "primary", onclick: () => this.move(choice)},
          title(choice.replace("-", " ")),
        ),
      ),
    );
    const offer = now.offer,
      asks = {
        draw: "offers a draw",
        undo: "asks to take back a move",
        new: "asks for a new game",
        machine: "wants a machine in the free seat",
      };
    this.offer.hidden = !(offer || (now.phase === "left" && sits && !now.mine.includes(now.by)));
    this.offer.replaceChildren(
      ...(offer
        ? [
            h("span", null, `${this.name(offer.seat)} ${asks[offer.what]}.`),
            sits && !now.agreed
              ? h("button", {type: "button", class: "primary", onclick: () => this.send("accept")}, "Accept")
              : "",
            sits
              ? h("button", {type: "button", onclick: () => this.send("decline")}, now.agreed ? "Withdraw" : "Decline")
              : "",
          ]
        : this.offer.hidden
          ? []
          : [
              h("span", null, `${this.name(now.by)} has left.`),
              h(
                "button",
                {type: "button", class: "primary", onclick: () => this.send("machine")},
                "Continue with a machine",
              ),
              h("button", {type: "button", onclick: () => this.send("end")}, "End the game"),
            ]),
    );
    const at = this.shownAt();
    this.slider.max = now.moves.length;
    this.slider.value = at;
    this.list.replaceChildren(
      ...now.moves.map((move, i) =>
        h(
          "li",
          null,
          h(
            "button",
            {type: "button", class: i + 1 === at ? "now" : "", onclick: () => this.look(i + 1)},
            `${i + 1}. ${move}`,
          ),
        ),
      ),
    );
    const here = this.list.querySelector(".now");
    if (here) this.list.scrollTop = here.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
    this.count();
    if (now.phase === "waiting") {
      this.links.open = true;
      this.saves();
    }
  }

  count() {
    const {counts} = this.now,
      time = ms => (ms === null ? "" : `${(ms / 1000).toFixed(1)} s`);
    this.counted.replaceChildren(
      h(
        "p",
        null,
        `${counts.games} game${counts.games === 1 ? "" : "s"}${counts.games ? `, ${counts.nobody} without a winner, ${counts.rounds} rounds on average` : ""}`,
      ),
      h(
        "table",
        null,
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ["player", "wins", "time per move", "on screen"].map(text => h("th", {scope: "col"}, text)),
          ),
        ),
        h(
          "tbody",
          null,
          counts.seats.map(row =>
            h(
              "tr",
              null,
              h("th", {scope: "row"}, `${row.name || "free"} (${this.color(row.seat)})`),
              h("td", null, String(row.wins)),
              h("td", null, time(row.thinking)),
              h("td", null, time(row.reaction)),
            ),
          ),
        ),
      ),
    );
  }

  saves() {
    const base = `/api/rooms/${encodeURIComponent(this.id)}/record?format=`,
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
      number = Math.max(0, Math.min(now.moves.length, at));
    if (number === now.moves.length) this.looking = null;
    else {
      this.positions ??= await ask(`/api/rooms/${encodeURIComponent(this.id)}/positions`, undefined, this.key);
      this.looking = number;
    }
    if (this.now === now) {
      this.panel(now.mover !== null && now.mine.includes(now.mover));
      this.redraw();
    }
  }

  redraw() {
    const at = this.shownAt(),
      better = this.review.better(at);
    this.view.better = better === null ? [] : this.cells(better);
    this.review.show(at);
    this.list.querySelectorAll("button").forEach((button, i) => {
      button.dataset.mark = this.review.mark(i + 1);
    });
    this.view.show(this.now, this.looking === null ? undefined : this.positions[this.looking]);
    this.buttons.far.setAttribute("aria-pressed", String(this.view.options.distances));
  }

  tell(text, refused = false) {
    this.why.textContent = text;
    this.why.classList.toggle("info", !refused);
  }

  answered(answer, asked) {
    if (answer.type === "refused") this.tell(answer.why, true);
    else if (answer.text) this.tell(answer.text);
    else if (answer.move && asked?.ask === "hint") {
      const cells = this.cells(answer.move);
      this.view.hint = cells.length ? cells : null;
      this.view.paint();
      const sees = answer.sees
        ? `, and sees ${answer.sees.line} (${answer.sees.value > 0 ? "+" : ""}${answer.sees.value.toFixed(2)})`
        : "";
      this.tell(`${answer.player.replace(":", " ")} would play ${answer.move}${sees}`);
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
    this.buttons.pause.textContent = pause ? `Resume (${text(pause)})` : "Resume";
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
