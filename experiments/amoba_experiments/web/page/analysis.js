// The analysis board: step through a game, try variations, see what a search sees, save.
import {Board} from "./board.js";
import {Candidates} from "./candidates.js";
import {ask, button, fetched, h, kept, s, say} from "./dom.js";
import {choices, copy, refocus, steps, tell, toggle, twice} from "./parts.js";
import {grow, lines, moves, node, path, Variations} from "./variations.js";
import {color, title, worth} from "./words.js";

const PAUSE = 250, // milliseconds in a position, before it is searched
  PATH = "/api/analysis";

const style = h("link", {rel: "stylesheet", href: "/page/analysis.css"});
await new Promise(done => {
  style.onload = style.onerror = done;
  document.head.append(style);
});

class Analysis {
  /** @type {any} */ view;
  /** @type {import("./variations.js").Node} */ at; // the node that is shown
  /** @type {AbortController | null} */ searching = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;
  /** @type {any} */ list;
  /** @type {any} */ seen;

  constructor({lines, at = [], others = 0, ...given}, board) {
    this.others = others;
    this.given = given; // game, options, start, first, and what a file says about the game
    this.board = board;
    this.root = node("", null);
    for (const line of lines) grow(this.root, line);
    this.svg = s("svg", {class: "board"});
    this.build();
    this.view = new Board(this.svg, {onmove: move => this.play(move), onwhy() {}, onpending() {}});
    this.view.options.numbers = kept.get("numbers", false);
    this.view.setup(board);
    this.draw(grow(this.root, {moves: at}));
    document.title = `${title(board.game)} - analysis`;
  }

  build() {
    this.turn = h("p", {class: "turn"});
    this.choices = h("ul", {class: "choices"});
    this.why = h("pre", {class: "why", role: "alert"});
    this.seen = new Candidates(this.board, {
      onmove: move => this.play(move),
      onadd: line => this.add(line),
      onmarks: marks => {
        this.view.marks = marks;
        this.view.paint();
      },
    });
    this.wished = kept.get("search", true); // a search of each position
    this.list = new Variations(each => this.look(each));
    this.comment = h("p", {class: "comment"});
    this.remove = button(h("span", null, "Delete from here"), () =>
      twice(this.remove, "Really delete", () => this.prune()),
    );
    this.first = button("Make main line", () => this.promote());
    const to = node => this.look(node || this.at);
    const last = at => (at.children.length ? last(at.children[0]) : at);
    this.element = h(
      "div",
      {class: "room analysis"},
      h("h1", {class: "unseen"}, "Analysis board"),
      h("section", {class: "table", "aria-label": "board"}, this.svg),
      h(
        "section",
        {class: "side", "aria-label": "analysis"},
        this.rules(),
        this.turn,
        this.choices,
        this.why,
        steps(
          () => to(this.root),
          () => to(this.at.parent),
          () => to(this.at.children[0]),
          () => to(last(this.at)),
        ),
        toggle("search", true, "Search each position", on => {
          this.wished = on;
          this.look(this.at);
        }),
        this.seen.element,
        this.list.element,
        this.comment,
        h("div", {class: "buttons"}, this.first, this.remove),
        h(
          "div",
          {class: "buttons end"},
          button("Save", () => this.save()),
          button("Copy position", () => {
            const {shown} = this.at;
            if (shown) copy(shown.position.text, told => this.tell(told, false));
          }),
          h("a", {href: "#"}, "Home"),
        ),
        !this.board.men &&
          toggle("numbers", false, "Numbers on stones", on => {
            this.view.options.numbers = on;
            this.view.paint();
          }),
      ),
    );
  }

  rules() {
    const {game, options, players, event, date} = this.given,
      told = Object.entries(options).filter(
        ([name, value]) => name !== "max_plies" && ![false, "none"].includes(value) && String(value).length < 20,
      ),
      about = [players.filter(Boolean).join(" \u2013 "), event, date, ...told.map(each => each.join(" "))];
    if (this.others) about.push(`${this.others} other game${this.others > 1 ? "s" : ""} left out`);
    return h(
      "p",
      {class: "rules"},
      h("b", null, title(game)),
      ` ${about.filter(Boolean).join(", ").replaceAll("_", " ")}`,
    );
  }

  leave() {
    this.stop();
    this.at = node("", null); // answers that come later are for nobody
  }

  about(at) {
    const {game, options, start, first} = this.given;
    return {game, options, start, first, moves: moves(at)};
  }

  // The shape of the tree has changed.
  draw(at) {
    this.list.draw(this.root, at);
    this.look(at);
  }

  async play(move) {
    const from = this.at;
    if (!from.shown) {
      this.view.unsend(); // the board still has another position
      return;
    }
    try {
      const known = from.children.find(each => each.move === move),
        made = known || node(move, from);
      made.shown ??= await ask(PATH + "/position", this.about(made));
      if (this.at !== from) return;
      if (!known) from.children.push(made);
      if (known) this.look(made);
      else this.draw(made);
    } catch (error) {
      this.view.unsend();
      this.tell(error.message);
    }
  }

  async look(at) {
    this.stop();
    const before = this.at;
    this.at = at;
    this.list.mark(at);
    try {
      at.shown ??= await ask(PATH + "/position", this.about(at));
    } catch (error) {
      if (this.at !== at) return;
      this.tell(error.message);
      if (before?.shown) this.list.mark((this.at = before));
      return;
    }
    if (this.at !== at) return;
    this.tell("");
    this.show();
    this.keep();
    if (this.wished && !at.found?.done) this.timer = setTimeout(() => this.search(at), PAUSE);
  }

  show() {
    const focus = refocus(this.element, () => this.view.focus());
    this.paint();
    focus();
  }

  paint() {
    const {at, board} = this,
      {position, targets, mover} = at.shown,
      name = seat => color(board.game, position.colors[seat]);
    this.turn.textContent =
      mover === null ? title(position.status.replace(/ \(.\)/, "")) : `${title(name(mover))} to ${position.task}`;
    say(`${at.move} ${this.turn.textContent}`);
    this.view.marks = [];
    this.view.show({at: [at.ply, moves(at).join()], targets, mover, mine: [], moves: moves(at), position});
    this.candidates();
    this.choices.replaceChildren(...choices(targets.choices || [], name => this.play(name)));
    this.comment.textContent = at.comment;
    this.comment.hidden = !at.comment;
    this.remove.disabled = !at.parent;
    this.first.disabled = path(at).every(each => !each.parent || each.parent.children[0] === each);
  }

  candidates() {
    const {found, shown} = this.at;
    this.seen.show(shown, found, this.wished ? "Searching \u2026" : "");
  }

  add(line) {
    const end = grow(this.at, {moves: line});
    let to = end;
    while (to.parent !== this.at) to = to.parent;
    this.draw(to);
  }

  search(at) {
    const control = (this.searching = new AbortController());
    const take = found => {
      if (this.at !== at || control.signal.aborted) return;
      if (found.type === "found") at.found = found;
      else if (found.type === "refused") this.tell(found.why);
      else if (found.before) this.seen.wait(`searches ahead: ${found.before} \u2026`);
      if (found.type === "found") this.candidates();
    };
    stream(PATH + "/search", this.about(at), control.signal, take).then(
      () => {
        if (!at.found || control.signal.aborted) return;
        at.found.done = true;
        const [best] = at.found.best;
        if (best) say(`best ${best.move}, ${worth(best)}`);
      },
      error => {
        if (control.signal.aborted) return;
        this.seen.wait("");
        this.tell(error.message);
      },
    );
  }

  stop() {
    clearTimeout(this.timer);
    this.searching?.abort();
    this.searching = null;
  }

  prune() {
    const {parent} = this.at;
    if (!parent) return;
    this.view.focus();
    parent.children = parent.children.filter(each => each !== this.at);
    this.draw(parent);
  }

  promote() {
    for (const each of path(this.at))
      if (each.parent) each.parent.children.sort((a, b) => Number(b === each) - Number(a === each));
    this.draw(this.at);
  }

  // Keep the tree for a reload and for the browser's back button.
  keep() {
    try {
      history.replaceState({analysis: {...this.given, lines: lines(this.root), at: moves(this.at)}}, "");
    } catch {
      /* too many in a short time: the next one is kept */
    }
  }

  async save() {
    try {
      const answer = await fetched(PATH + "/file", {...this.given, lines: lines(this.root)});
      const [, name] = /filename="(.*)"/.exec(answer.headers.get("content-disposition") || "") || [],
        link = h("a", {href: URL.createObjectURL(await answer.blob()), download: name});
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } catch (error) {
      this.tell(error.message);
    }
  }

  tell(text, refused = true) {
    tell(this.why, text, refused);
  }
}

// The analysis of what the page kept for this address, or else of the finished game of a room.
export async function analyse(/** @type {string | null} */ room, known) {
  const given = known || (await opened(room));
  return new Analysis(given, await ask("/api/board", {game: given.game, options: given.options}));
}

async function opened(room) {
  if (!room) throw new Error("Paste moves or open a file to analyse a game.");
  const answer = await fetched(`/api/rooms/${encodeURIComponent(room)}/record?format=jsonl`);
  return ask(PATH, {text: await answer.text()});
}

// The lines of JSON in an answer, one after the other as they come.
async function stream(address, body, signal, take) {
  const answer = await fetched(address, body, undefined, signal);
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const all = (rest + part.value).split("\n");
    rest = all.pop() || "";
    for (const line of all) take(JSON.parse(line));
  }
}
