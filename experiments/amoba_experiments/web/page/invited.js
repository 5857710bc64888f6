// The page behind an invitation link. Only its button takes the seat.
import {Board} from "./board.js";
import {ask, h, kept, person, s, secret, statement} from "./dom.js";
import {about, color, title} from "./words.js";

export async function invited(id, invite) {
  const path = `/api/rooms/${encodeURIComponent(id)}`,
    [now, board, {games}] = await Promise.all([ask(path), ask(path + "/board"), ask("/api/catalogue")]);
  document.title = `Invitation to ${title(board.game)} - amoba`;
  const hosts = now.names.filter((name, seat) => name && !now.machines[seat]),
    seat = now.free.indexOf(true),
    watch = h("a", {href: "#room=" + encodeURIComponent(id)}, "Watch only"),
    name = h("input", {
      id: "name",
      value: kept.get("name", ""),
      maxlength: 40,
      required: true,
      autocomplete: "nickname",
    }),
    why = h("p", {class: "why", role: "alert"}),
    svg = s("svg", {class: "board"}),
    view = new Board(svg, {onmove: () => {}, onwhy: () => {}, onpending: () => {}});
  const form = h(
    "form",
    {class: "invited"},
    h("h1", null, hosts.length ? `${hosts.join(" and ")} invited you` : "You are invited"),
    h("div", {class: "table"}, svg),
    h(
      "div",
      {class: "terms"},
      terms(
        now,
        board,
        seat,
        games.find(game => game.name === board.game),
      ).map(([what, text]) => h("p", null, h("b", null, what), " ", text)),
      seat < 0 && h("p", null, "All seats are taken."),
      seat >= 0 && h("p", {class: "field"}, h("label", {for: "name"}, "My name"), name),
      h("p", {class: "go"}, seat >= 0 && h("button", {class: "primary"}, "Sit down"), " ", watch),
      why,
      seat >= 0 && statement(),
    ),
  );
  view.setup(board, Math.max(0, seat));
  view.show(now, undefined);
  const fresh = kept.get("join." + id, secret()); // kept, so that a seat is not lost with the server's answer
  form.addEventListener("submit", async event => {
    event.preventDefault();
    kept.set("join." + id, fresh);
    try {
      const {key} = await ask(`${path}/join`, {invite, name: name.value.trim(), person: person(), key: fresh});
      kept.set("name", name.value.trim());
      kept.set("key." + id, key);
      location.hash = "room=" + encodeURIComponent(id);
    } catch (error) {
      why.textContent = error.message;
    }
  });
  return form;
}

// The terms: the game, options that differ from the defaults, the colour, the clock.
function terms(now, board, seat, {what, options}) {
  const called = each => color(board.game, now.position.colors[each]),
    {clock} = now,
    rules = options
      .filter(each => each.name !== "board" && board.options[each.name] !== each.default)
      .map(({name}) => `${title(name)}: ${{true: "yes", false: "no"}[board.options[name]] ?? board.options[name]}`);
  return [
    [title(board.game), about(board.game, what)],
    rules.length && ["Rules", rules.join(", ")],
    seat >= 0 && ["You", `${called(seat)}${seat === now.starter ? ", first to move" : ""}`],
    ...now.names.map((name, each) => name && [name, called(each)]),
    [
      "Clock",
      clock ? `${+(clock.main / 60_000).toFixed(2)} min each, and ${clock.increment / 1000} s more a move` : "none",
    ],
  ].filter(Boolean);
}
