// Display texts for the names in the protocol.
import {h} from "./dom.js";

const GAMES = {
  tictactoe: ["Tic-tac-toe", "Three in a row."],
  gomoku: ["Gomoku", "Five in a row."],
  renju: ["Renju", "Five in a row; some points are forbidden for Black."],
  omok: ["Omok", "Five in a row; double-threes are forbidden to both."],
  amoba: ["Am\u0151ba", "First to make a row or shape wins. You can draw the board."],
  halma: ["Halma", "Six men race across the star."],
  chinese_checkers: ["Chinese checkers", "Ten or fifteen men race across the large star."],
  square_halma: ["Square halma", "Men race from corner to corner."],
};
const OPTIONS = {
  max_plies: ["Longest game", "moves; a longer game has no winner"],
  adjudicate: ["Longest game has a winner", "the player with the fewest steps left wins"],
  anti_spoiling: ["Full goal wins", "as soon as one of the player's own men is in it"],
  opening: ["Opening", "how the first stones and the colours are chosen"],
};
const PLAYERS = {
  trained: "trained network",
  perfect: "perfect player",
  alphabeta: "deep search (alphabeta)",
  endgame: "deep search with exact endings",
  mcts: "tree search (mcts)",
  robust: "careful search (robust)",
  "lookahead:2": "two moves ahead",
  greedy: "one move ahead (greedy)",
  random: "random moves",
};
const CHOICES = {
  stay: "Keep your colour.",
  swap: "Take the other colour; its stones become yours.",
  offer: "Keep the colours; Black offers ten places for the fifth stone.",
  more: "Put a white and a black stone, and let the opponent choose the colour.",
};
const ENDINGS = {
  line: "a line",
  goal: "all men are home",
  full_board: "the board is full",
  resigned: "resigned",
  time: "ran out of time",
  agreed: "agreed",
  illegal: "no legal move",
  left: "has left",
  forbidden: "a forbidden move",
  max_plies: "too many moves",
  distance: "fewer steps left",
  no_moves: "no moves",
};
const SURE = 0.95; // a win in 40 games
const FAILED = {
  crash: "has crashed",
  timeout: "did not answer in time",
  "illegal move": "made an illegal move",
  "cannot start": "could not be started",
  refused: "refused the game",
  error: "failed",
};
// Of a room in the list of my games; at the seat that asked or has left; in a sentence about it.
export const PHASES = {
  waiting: ["waiting for a player"],
  ready: ["the other side begins"],
  playing: ["the other side is to move"],
  paused: ["paused", "paused", "asked for a pause"],
  left: ["a player has left", "has left", "has left"],
  over: ["over"],
};
export const ASKS = {
  draw: "offers a draw",
  undo: "asks to take back a move",
  new: "asks for a new game",
  rematch: "asks for a rematch with other colours",
  machine: "wants a machine in the free seat",
};

const upper = text => text.charAt(0).toUpperCase() + text.slice(1);
export const title = name => GAMES[name]?.[0] || OPTIONS[name]?.[0] || upper(name).replaceAll("_", " ");
export const about = (name, usual) => (GAMES[name] || OPTIONS[name])?.[1] || usual;

// Refusals name games and options as the protocol does.
export const plain = text =>
  Object.entries(OPTIONS)
    .reduce((all, [name, [shown]]) => all.replaceAll(name, shown), text)
    .replace(/^(?!https?:)[a-z_]+(?=:)/, title);

// The choice of a machine, for a select.
export function machines(names, chosen = "") {
  const level = name => name.startsWith("level:");
  return [
    ["Machine", names.filter(level)],
    ["Other machines", names.filter(name => !level(name))],
  ].map(([label, some]) =>
    h(
      "optgroup",
      {label},
      some.map(value => h("option", {value, selected: value === chosen}, machine(value))),
    ),
  );
}

export const machine = name => PLAYERS[name] || name.replace(/^level:/, "level ").replaceAll(":", " ");

// The colour of a seat; in tic-tac-toe its sign.
export const color = (game, name) => (game === "tictactoe" ? {black: "X", white: "O"}[name] || name : name);

export function choice(name) {
  const [, count] = name.split("declare-");
  return CHOICES[name] || (count ? `Black then offers ${count} places for the fifth stone.` : upper(name));
}

export const choiceName = name => upper(name.replace("-", " "));

export const signed = value => (value > 0 ? "+" : "") + (value.toFixed(2) === "-0.00" ? "0.00" : value.toFixed(2));

// A value from -1 to 1 in words; `plies` to the end if it is proven.
export function worth({value, plies}) {
  if (plies) return `${value > 0 ? "wins" : "loses"} in ${plies}`;
  return Math.abs(value) < SURE ? signed(value) : `probably ${value > 0 ? "wins" : "loses"}`;
}

// How a game ended; `called` names a seat, `colored` with its colour.
export function verdict(result, called, colored) {
  const how = result.failure ? FAILED[result.failure] : ENDINGS[result.ending] || result.ending.replaceAll("_", " "),
    won = result.winner !== null ? `${colored(result.winner)} has won` : shared(result) ? "a draw" : "";
  if (result.failure || result.by !== null) return `${called(result.by)} ${how}${won && `: ${won}`}.`;
  return result.winner === null ? `A draw: ${how}.` : `${won}: ${how}.`;
}

// Whether all share the first place.
export const shared = result => result.places.every(place => place === 1);
