// The players at the edges of the board: names, turn, clocks; and their games so far.
import {h, s} from "./dom.js";
import {piece} from "./pieces.js";
import {color, machine, PHASES, shared} from "./words.js";

export const called = (now, seat) => (now.machines[seat] ? machine(now.names[seat]) : now.names[seat] || "a free seat");

export const colored = (now, game, seat) => `${called(now, seat)} (${color(game, now.position.colors[seat])})`;

export const stone = (now, game, seat) =>
  s(
    "svg",
    {class: "small", viewBox: "-50 -50 100 100", "aria-hidden": "true"},
    piece([0, 0], 43, now.position.fills[seat], game === "tictactoe" ? color(game, now.position.colors[seat]) : ""),
  );

function says(now, seat) {
  const {mine, mover, result, phase} = now;
  if (phase === "over")
    return result.winner === seat ? "has won" : result.winner === null && shared(result) ? "draw" : "";
  if (seat === now.by) return PHASES[phase][1] || "";
  if (seat !== mover) return "";
  return mine.length === 1 && mine[0] === seat
    ? "your turn"
    : now.thinking && now.machines[seat]
      ? "is thinking"
      : "to move";
}

// The row of a seat, and what passes in it: its clock and for how long its person is away.
export function rowOf(now, game, seat) {
  const clock = now.clock ? h("span", {class: "clock"}) : null,
    away = h("small", {class: "away"}),
    who = now.mine.includes(seat) ? ", you" : now.machines[seat] ? ", machine" : "";
  const element = h(
    "li",
    {class: `seat${seat === now.mover ? " now" : ""}`},
    stone(now, game, seat),
    h(
      "span",
      {class: "name"},
      now.names[seat] ? called(now, seat) : "free",
      h("small", null, ` ${color(game, now.position.colors[seat])}${who}`),
      away,
    ),
    h("span", {class: "says"}, says(now, seat)),
    now.distances && h("span", {class: "far"}, `${now.distances[seat]} steps`),
    clock,
  );
  return {element, clock, away};
}

export function counts(now, game) {
  const {games, nobody, rounds, seats} = now.counts,
    time = ms => (ms === null ? "" : `${(ms / 1000).toFixed(1)} s`),
    heads = ["player", "wins", "time per move", "in the browser"];
  return [
    h(
      "p",
      null,
      `${games} game${games === 1 ? "" : "s"}${games ? `, ${nobody} without a winner, ${rounds} rounds on average` : ""}`,
    ),
    games > 0 &&
      h(
        "table",
        null,
        h("thead", null, h("tr", null, ...heads.map(text => h("th", {scope: "col"}, text)))),
        h(
          "tbody",
          null,
          seats.map(row =>
            h(
              "tr",
              null,
              h("th", {scope: "row"}, colored(now, game, row.seat)),
              h("td", null, String(row.wins)),
              h("td", null, time(row.thinking)),
              h("td", null, time(row.reaction)),
            ),
          ),
        ),
      ),
  ].filter(Boolean);
}
