// Settings of a new room: game, options, seats, first move, clock.
import {ask, h, kept, person, statement} from "./dom.js";
import {about, machines as grouped, PHASES, plain, title} from "./words.js";

/** @type {[string, [number, number] | null][]} */
const CLOCKS = [
  ["none", null],
  ["1 min + 2 s", [60, 2]],
  ["3 min + 2 s", [180, 2]],
  ["5 min + 3 s", [300, 3]],
  ["15 min + 10 s", [900, 10]],
  ["30 min", [1800, 0]],
];

export async function home() {
  const {games} = await ask("/api/catalogue");
  const last = kept.get("game", "gomoku");
  /** @type {Record<string, any>} */
  let had = {}; // the settings of the last room with this game
  let seated = ""; // the players and machines of the seats that are shown
  const form = h("form", {class: "settings"}),
    state = /** @type {any} */ ({options: {}});
  const choose = h(
    "fieldset",
    {class: "games"},
    h("legend", null, "Game"),
    games.map(game =>
      h(
        "label",
        {class: "game"},
        h("input", {
          type: "radio",
          name: "game",
          value: game.name,
          checked: game.name === last,
          onchange: () => pick(game.name),
        }),
        h("b", null, title(game.name)),
        h("small", null, about(game.name, game.what)),
      ),
    ),
  );
  const options = h("fieldset"),
    name = h("input", {id: "name", value: kept.get("name", "Player"), maxlength: 40, autocomplete: "nickname"}),
    named = field("My name", name), // stays, as somebody may be typing in it
    seats = h("fieldset", null, h("legend", null, "Seats"), named),
    more = h("fieldset"),
    why = h("pre", {class: "why", role: "alert"});
  const start = h("button", {class: "primary", type: "submit"}, "Start");
  form.append(
    h("h1", null, "New game"),
    choose,
    h(
      "div",
      {class: "rest"},
      seats,
      h("div", {class: "go"}, start, why),
      h("details", null, h("summary", null, "Rules and board"), options),
      h("details", null, h("summary", null, "Who begins, clock, pace"), more),
      pasting(),
      statement(),
    ),
  );
  form.addEventListener("submit", event => {
    event.preventDefault();
    begin();
  });

  const first = h("select", {id: "first"}),
    clock = h(
      "select",
      {id: "clock"},
      CLOCKS.map(([text], i) => h("option", {value: i, selected: i === kept.get("clock", 0)}, text)),
    );
  const delay = h("input", {
    id: "delay",
    type: "range",
    min: 0,
    max: 5000,
    step: 250,
    value: kept.get("delay", 500),
    oninput: () => pace(),
  });
  const shown = h("output", {for: "delay"}),
    series = h("input", {id: "series", type: "number", min: 1, max: 10000, value: 1});
  const pace = () => {
    shown.textContent = `${delay.value / 1000} s`;
  };
  pace();
  more.append(
    h("legend", {class: "unseen"}, "Who begins, clock, pace"),
    field("Who begins", first),
    field("Clock", clock),
    field("Pause after a machine's move", delay, shown),
    field("Games in a series (machines only)", series),
  );

  async function pick(name) {
    const game = games.find(each => each.name === name);
    state.name = name;
    had = kept.get("settings." + name, {});
    seated = "";
    const known = Object.entries(had.options || {}).filter(([key]) => game.options.some(each => each.name === key));
    state.options = Object.fromEntries(known);
    state.editor = null;
    state.asked = null; // the catalogue has the players of the usual board
    kept.set("game", name);
    why.textContent = "";
    options.replaceChildren(h("legend", {class: "unseen"}, "Rules and board"), ...game.options.map(option));
    if (!game.options.length) options.append(h("p", null, "This game has no options."));
    chairs(game);
    if (name !== "amoba") {
      if (known.length) look();
      return;
    }
    const {editor} = await import("./editor.js");
    if (state.name !== name || state.editor) return;
    const field = name => options.querySelector("#option-" + name),
      set = async (name, text) => {
        field(name).value = text;
        state.options[name] = text;
        return (await look())?.points;
      };
    state.editor = editor({
      ready: game.options.find(each => each.name === "board").ready,
      field,
      set,
      geometry: name => set("board", name),
    });
    options.append(state.editor.element);
    await look();
  }

  function option(each) {
    const id = "option-" + each.name,
      set = value => {
        state.options[each.name] = value;
        look();
      };
    const value = state.options[each.name] ?? each.default;
    let input;
    if (each.kind === "choice")
      input = h(
        "select",
        {id, onchange: () => set(input.value)},
        each.choices.map(c => h("option", {value: c, selected: c === value}, c)),
      );
    else if (each.kind === "flag")
      input = h("input", {id, type: "checkbox", checked: value, onchange: () => set(input.checked)});
    else if (each.kind === "number") input = h("input", {id, type: "number", value, onchange: () => set(+input.value)});
    else input = h("input", {id, value, spellcheck: "false", onchange: () => set(input.value)});
    input.setAttribute("aria-describedby", id + "-help");
    return field(title(each.name), input, h("small", {id: id + "-help"}, about(each.name, each.help)));
  }

  // The players of the game, or what is wrong with the options; and the board.
  function look() {
    const {name, options: given, editor} = state,
      asked = ask("/api/board", {game: name, options: given});
    state.asked = asked;
    return asked.then(
      board => {
        if (state.asked !== asked) return null;
        why.textContent = "";
        editor?.mark([]);
        chairs(board);
        return board;
      },
      error => {
        if (state.asked !== asked) return null;
        const parts = error.found?.parts || [];
        why.textContent = plain(editor && parts.length ? error.message.split(":\n")[0] + "." : error.message);
        editor?.mark(parts);
        return null;
      },
    );
  }

  function chairs({players, machines}) {
    const now = JSON.stringify([players, machines]);
    if (seated === now) return; // a list that is open would close
    seated = now;
    const old = [...seats.querySelectorAll("select")],
      before = old.map(each => each.value);
    const usual = i => (i === 0 ? "me" : machines.includes("level:3") ? "level:3" : machines[0]);
    const known = ["me", "guest", ...machines],
      words = {me: "me", guest: "somebody with a link"};
    for (const each of old) each.closest(".field")?.remove();
    named.before(
      ...Array.from({length: players}, (_, i) => {
        const now = [before[i], had.seats?.[i]].find(each => known.includes(each)) ?? usual(i);
        return field(
          `Seat ${i + 1}`,
          h(
            "select",
            {id: "seat-" + i},
            h(
              "optgroup",
              {label: "People"},
              Object.entries(words).map(([value, text]) => h("option", {value, selected: value === now}, text)),
            ),
            grouped(machines, now),
          ),
        );
      }),
    );
    const begins = first.value || kept.get("first", "");
    first.replaceChildren(
      ...[
        ["in turn", "in turn"],
        ["drawn", "at random"],
        ...Array.from({length: players}, (_, i) => [String(i), `always seat ${i + 1}`]),
      ].map(([value, text]) => h("option", {value, selected: value === begins}, text)),
    );
  }

  async function begin() {
    start.disabled = true;
    const asked = state.asked; // its answer may change the seats
    if (asked) await asked.catch(() => {});
    start.disabled = false;
    if (state.asked !== asked) return;
    const chosen = [...seats.querySelectorAll("select")].map(each => each.value),
      player = name.value.trim();
    const pair = CLOCKS[+clock.value][1];
    kept.set("name", player);
    kept.set("delay", +delay.value);
    start.disabled = true;
    try {
      const made = await ask("/api/rooms", {
        name: chosen.includes("me") ? player : "",
        person: person(),
        game: state.name,
        options: state.options,
        seats: chosen,
        first: first.value,
        clock: pair && {main: pair[0] * 1000, increment: pair[1] * 1000},
        delay: +delay.value,
        series: chosen.some(each => each === "me" || each === "guest") ? 1 : Math.max(1, +series.value || 1),
      });
      kept.set("settings." + state.name, {options: state.options, seats: chosen});
      kept.set("first", first.value);
      kept.set("clock", +clock.value);
      if (made.key) kept.set("key." + made.room, made.key);
      kept.set("invites." + made.room, made.invites);
      location.hash = "room=" + encodeURIComponent(made.room);
    } catch (error) {
      why.textContent = plain(error.message);
      start.disabled = false;
    }
  }

  // Its form is loaded when it is opened.
  function pasting() {
    const element = h("details", {ontoggle: fill}, h("summary", null, "Analyse a position"));
    async function fill() {
      element.removeEventListener("toggle", fill);
      const {paste} = await import("./paste.js");
      element.append(paste(() => ({game: state.name, options: state.options})));
    }
    return element;
  }

  pick(games.some(game => game.name === last) ? last : "gomoku");
  return h("div", null, mine(), form);
}

// The games of this browser, the newest first; what is new in them comes later.
function mine() {
  const rooms = kept.get("rooms", []);
  if (!rooms.length) return null;
  const element = h("section", {class: "mine"}, h("h2", null, "My games"));
  for (const {id, game, people} of rooms) {
    const key = kept.get("key." + id, null),
      state = h("small"),
      row = h("a", {href: "#room=" + encodeURIComponent(id)}, h("b", null, title(game)), ` ${people} `, state);
    element.append(row);
    ask(`/api/rooms/${encodeURIComponent(id)}`, undefined, key).then(
      now => {
        const yours = now.mine.includes(now.mover);
        row.classList.toggle("yours", yours && now.mine.length < now.names.length);
        state.textContent = yours ? "your turn" : PHASES[now.phase][0];
      },
      error => {
        state.textContent = "no answer from the server";
        if (error.status !== 404) return; // it may come back
        kept.set(
          "rooms",
          kept.get("rooms", []).filter(each => each.id !== id),
        );
        row.remove();
      },
    );
  }
  return element;
}

function field(text, input, ...rest) {
  return h("div", {class: "field"}, h("label", {for: input.id}, text), input, ...rest);
}
