// Analysis of a finished game: a curve of values, the mistakes, and the best moves.
import {ask, button, h, s} from "./dom.js";
import {signed, worth} from "./words.js";

const WIDE = 300,
  HIGH = 96,
  AGAIN = 2000, // milliseconds after an answer that did not come
  MARKS = {losing: "??", mistake: "?"};

export class Review {
  constructor(id, key, onlook, onchange) {
    this.path = `/api/rooms/${encodeURIComponent(id)}/review`;
    this.key = key;
    this.onlook = onlook;
    this.onchange = onchange;
    this.found = null;
    this.at = 0;
    this.listed = "";
    this.button = button("Analyse", () => this.load({do: this.found?.running ? "stop" : "start"}));
    this.curve = s("svg", {
      class: "curve",
      viewBox: `-4 -8 ${WIDE + 8} ${HIGH + 16}`,
      role: "img",
      onclick: event => this.click(event),
    });
    this.words = h("p", {class: "better"});
    this.mistakes = h("ul", {class: "mistakes"});
    this.element = h(
      "section",
      {class: "review", "aria-label": "analysis of the game", hidden: true},
      h(
        "div",
        {class: "buttons"},
        this.button,
        h("a", {href: `#analysis&room=${encodeURIComponent(id)}`}, "Analysis board"),
      ),
      this.curve,
      this.words,
      this.mistakes,
    );
  }

  // Is the game over? If it continues, earlier results are dropped.
  room(over, may) {
    const again = over && !this.over;
    this.over = over;
    this.may = may;
    if (!over) {
      this.found = null;
      clearTimeout(this.timer);
    } else if (again) this.load();
    this.paint();
  }

  // Ask for the analysis, or start or stop it.
  async load(message) {
    try {
      this.take(await ask(this.path, message, this.key));
    } catch (error) {
      if (message) this.words.textContent = error.message;
      else if (this.found?.running) this.timer = setTimeout(() => this.load(), AGAIN);
    }
  }

  take(found) {
    clearTimeout(this.timer);
    if (!this.over) return;
    this.found = found.total ? found : null;
    if (this.found?.running) this.timer = setTimeout(() => this.load(), 700);
    this.paint();
    this.onchange();
  }

  leave() {
    this.over = false;
    clearTimeout(this.timer);
  }

  row(number) {
    return this.found?.positions.find(row => row.ply === number - 1 && row.played);
  }

  mark(number) {
    return MARKS[this.row(number)?.kind] || "";
  }

  // The best move in the position before this one, if it is better than the move played.
  better(number) {
    const row = this.row(number);
    return row?.loss ? row.best[0].move : null;
  }

  show(number) {
    this.at = number;
    this.paint();
  }

  paint() {
    const {found} = this;
    this.element.hidden = !this.over;
    this.button.hidden = !this.may || Boolean(found && !found.running && found.done === found.total);
    this.button.textContent = found?.running ? "Stop" : found ? "Analyse again" : "Analyse";
    this.curve.toggleAttribute("hidden", !found?.done);
    const said = found?.running ? `${found.done} of ${found.total} positions` : found?.why || "",
      row = this.row(this.at);
    this.words.textContent = row ? describe(row) : said;
    const mistakes = (found?.positions || []).filter(each => each.kind),
      look = each => button(describe(each), () => this.onlook(each.ply + 1)),
      listed = mistakes.map(describe).join("\n");
    // a button that is replaced loses the focus
    if (listed !== this.listed) this.mistakes.replaceChildren(...mistakes.map(each => h("li", null, look(each))));
    this.listed = listed;
    if (found?.done) this.draw();
  }

  draw() {
    const {found} = this,
      x = ply => (WIDE * ply) / Math.max(1, found.total - 1),
      y = value => (HIGH * (1 - value)) / 2,
      parts = [];
    parts.push(
      s("path", {class: "even", d: `M0 ${y(0)}H${WIDE}`}),
      s("path", {class: "shown", d: `M${x(this.at)} 0V${HIGH}`}),
    );
    const lines = Object.entries(found.curve);
    lines.forEach(([color, points], i) => {
      parts.push(
        s(
          "path",
          {
            class: `value value${lines.length > 1 ? i : ""}`,
            d: "M" + points.map(([ply, value]) => `${x(ply)} ${y(value)}`).join("L"),
          },
          s("title", null, color),
        ),
      );
    });
    const first = lines[0]?.[1] || [],
      value = ply => first.find(point => point[0] === ply)?.[1] ?? 0;
    for (const row of found.positions)
      if (row.kind)
        parts.push(
          s("circle", {
            class: "lost",
            cx: x(row.ply + 1),
            cy: y(value(row.ply + 1)),
            r: row.kind === "losing" ? 5 : 3.5,
          }),
        );
    this.curve.setAttribute(
      "aria-label",
      `value of each position for ${lines.map(([color]) => color).join(", ")}, from a win above to a loss below`,
    );
    this.curve.replaceChildren(...parts);
  }

  click(event) {
    const box = this.curve.getBoundingClientRect(),
      part = (((event.clientX - box.left) / box.width) * (WIDE + 8) - 4) / WIDE;
    this.onlook(Math.round(part * (this.found.total - 1)));
  }
}

function describe(row) {
  const best = row.best[0],
    kind = {losing: row.proven ? " loses" : " probably loses", mistake: " is a mistake"}[row.kind] || "",
    played = `${row.ply + 1}. ${row.to_move} ${row.played}${kind} (${signed(row.value)})`;
  return !row.loss ? `${played}: a best move` : `${played}; better ${best.move} (${worth(best)}): ${best.line}`;
}
