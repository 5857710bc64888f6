// Editors for boards and winning patterns of amőba: grids for mouse, touch and keys.
import {button, h, s, say} from "./dom.js";
import {WAYS} from "./hands.js";

const SHAPE = 6; // cells along a side of the grid on which shapes are drawn

// A grid of cells to turn on and off: one tab stop, arrows, Enter or space.
class Grid {
  /** @type {boolean[][]} */ rows = [];
  /** @type {[number, number]} */ at = [0, 0]; // column and row of the tab stop
  /** @type {HTMLElement[][]} */ cells;

  constructor(label, onchange) {
    this.onchange = onchange;
    this.element = h("div", {class: "cells", role: "grid", "aria-label": label});
    this.element.addEventListener("keydown", event => this.key(event));
  }

  set(rows) {
    this.rows = rows;
    this.at = [0, 0];
    this.cells = rows.map((row, y) =>
      row.map((on, x) =>
        h("div", {
          role: "gridcell",
          tabindex: x || y ? -1 : 0,
          "aria-selected": String(on),
          "aria-label": `column ${x + 1}, row ${rows.length - y}`,
          onpointerdown: event => this.press(event, x, y),
          onpointerover: () => this.painting !== null && this.painting !== undefined && this.turn(x, y, this.painting),
          onclick: () => {
            if (this.pressed) this.pressed = false;
            else this.turn(x, y, !this.rows[y][x]);
          },
        }),
      ),
    );
    this.element.replaceChildren(...this.cells.map(row => h("div", {role: "row"}, row)));
  }

  press(event, x, y) {
    // a mouse also draws lines; a finger only taps, because dragging scrolls
    if (event.pointerType !== "mouse" || event.button) return;
    this.pressed = true;
    this.painting = !this.rows[y][x];
    addEventListener("pointerup", () => (this.painting = null), {once: true});
    this.turn(x, y, this.painting);
  }

  turn(x, y, on) {
    this.point(x, y);
    if (this.rows[y][x] === on) return;
    this.rows[y][x] = on;
    this.cells[y][x].setAttribute("aria-selected", String(on));
    this.onchange();
  }

  point(x, y) {
    this.cells[this.at[1]][this.at[0]].tabIndex = -1;
    this.at = [x, y];
    this.cells[y][x].tabIndex = 0;
  }

  key(event) {
    const way = WAYS[event.key];
    if (way) {
      const x = this.at[0] + way[0],
        y = this.at[1] + way[1];
      if (this.cells[y]?.[x]) {
        this.point(x, y);
        this.cells[y][x].focus();
      }
    } else if (event.key === "Enter" || event.key === " ") this.turn(...this.at, !this.rows[this.at[1]][this.at[0]]);
    else return;
    event.preventDefault();
  }

  // Show a letter for each part that is not connected to the rest.
  mark(parts) {
    for (const cell of this.cells.flat()) {
      cell.textContent = "";
      cell.classList.remove("island");
    }
    parts.forEach((part, i) => {
      for (const [x, y] of part) {
        const cell = this.cells[y]?.[x];
        if (cell) {
          cell.textContent = "abcdefghijklmnopqrstuvwxyz"[i % 26];
          cell.classList.add("island");
        }
      }
    });
  }
}

const drawn = (rows, on, off) => rows.map(row => row.map(each => (each ? on : off)).join("")).join("/");
const empty = (wide, high, on) => Array.from({length: high}, () => Array(wide).fill(on));

// `field(name)`: the input of an option; `set(name, text)`: change its text; `geometry(name)`: the points of a built-in board.
export function editor({ready, field, set, geometry}) {
  const grid = new Grid("cells of the board", () => set("board", drawn(grid.rows, ".", "#")));
  const place = h("div", null);
  const size = (wide, high) => {
    grid.set(empty(wide, high, true));
    place.replaceChildren(grid.element);
    set("board", drawn(grid.rows, ".", "#"));
  };
  const of = async name => {
    const points = await geometry(name);
    if (!points) return; // another board was chosen meanwhile
    const [wide, high] = [0, 1].map(axis => Math.max(...points.map(point => point[axis])) / 100 + 1),
      rows = empty(wide, high, false);
    for (const [x, y] of points) rows[y / 100][x / 100] = true;
    grid.set(rows);
    place.replaceChildren(grid.element);
  };
  const element = h(
    "div",
    {class: "editor"},
    h("h2", null, "Draw a board"),
    h(
      "p",
      null,
      "Click or drag to add and remove cells. Letters mark islands, parts that are not connected to the rest.",
    ),
    h(
      "p",
      null,
      [6, 8, 10, 15].map(n => button(`${n} x ${n}`, () => size(n, n))),
      ready.map(name => button(name, () => of(name))),
    ),
    place,
    ...patterns(field, set),
  );
  return {
    element,
    mark: parts => {
      if (grid.cells) grid.mark(parts);
    },
  };
}

function patterns(field, set) {
  const chips = h("ul", {class: "patterns", "aria-label": "winning patterns"}),
    all = () =>
      field("patterns")
        .value.split(",")
        .map(each => each.trim())
        .filter(Boolean);
  const write = list => {
    set("patterns", list.join(","));
    show();
  };
  const add = pattern => {
    if (!all().includes(pattern)) write([...all(), pattern]);
    say(`${pattern} wins`);
  };
  const show = () =>
    chips.replaceChildren(
      ...all().map((pattern, i) =>
        h(
          "li",
          null,
          picture(pattern),
          button("\u00d7", () => write(all().filter((_, j) => j !== i)), {"aria-label": `remove pattern ${pattern}`}),
        ),
      ),
    );
  const grid = new Grid("cells of the shape", () => {}),
    clear = () => grid.set(empty(SHAPE, SHAPE, false));
  const count = h("input", {type: "number", min: 2, max: 20, value: 5, "aria-label": "cells in the row"}),
    exact = h("input", {type: "checkbox", id: "exact"});
  const shape = () => {
    const points = grid.rows.flatMap((row, y) => row.flatMap((on, x) => (on ? [[x, y]] : [])));
    if (points.length < 2) {
      say("a shape needs at least two cells");
      return;
    }
    const [[left, right], [top, bottom]] = [0, 1]
      .map(axis => points.map(point => point[axis]))
      .map(all => [Math.min(...all), Math.max(...all)]);
    add(
      drawn(
        grid.rows.slice(top, bottom + 1).map(row => row.slice(left, right + 1)),
        "x",
        ".",
      ),
    );
    clear();
  };
  clear();
  field("patterns").addEventListener("change", show);
  show();
  return [
    h("h2", null, "Winning patterns"),
    chips,
    h(
      "p",
      null,
      "A row of ",
      count,
      h("label", null, exact, " exactly"),
      button("Add row", () => add(`${+count.value || 5}${exact.checked ? " exact" : ""}`)),
    ),
    h("p", null, "Or click the cells of a shape:"),
    grid.element,
    h("p", null, button("Add shape", shape), button("Clear", clear)),
  ];
}

function picture(pattern) {
  const row = /^(\d+)( exact)?$/.exec(pattern);
  if (row) return h("span", null, `${row[2] ? "exactly " : ""}${row[1]} in a row`);
  const rows = pattern.split("/"),
    wide = Math.max(...rows.map(each => each.length));
  return s(
    "svg",
    {
      viewBox: `0 0 ${wide * 10} ${rows.length * 10}`,
      width: wide * 10,
      height: rows.length * 10,
      role: "img",
      "aria-label": pattern,
    },
    rows.flatMap((each, y) =>
      [...each].flatMap((char, x) =>
        char === "x" ? [s("rect", {x: x * 10 + 0.5, y: y * 10 + 0.5, width: 9, height: 9})] : [],
      ),
    ),
  );
}
