// The buttons of a room, in groups, and when they can be used.
import {h, s} from "./dom.js";
import {twice} from "./parts.js";

const PAUSE = ["M8 5v14M16 5v14", "Pause"],
  RESUME = ["M7 4l13 8-13 8z", "Resume"];

// A picture, an outline in a square of 24, and words.
const face = (path, text) => [
  s("svg", {class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true"}, s("path", {d: path})),
  h("span", null, text),
];

export function buttons(room) {
  const button = (path, text, act, more) => h("button", {type: "button", onclick: act, ...more}, face(path, text));
  const send = what => () => room.send(what),
    ask = what => () => room.net.send({ask: what});
  const help = {
    undo: button("M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3", "Undo", send("undo")),
    hint: button(
      "M9.5 18h5M10.5 21h3M12 3a6 6 0 0 0-4 10.4c.9.9 1.5 1.6 1.5 2.6h5c0-1 .6-1.7 1.5-2.6A6 6 0 0 0 12 3z",
      "Hint",
      ask("hint"),
    ),
    play: button("M13 3L5 14h6l-1 7 8-11h-6z", "Machine move", ask("play")),
    why: button(
      "M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 18v.3M12 2.5a9.5 9.5 0 1 0 0 19a9.5 9.5 0 1 0 0-19z",
      "Why?",
      () => {
        room.view.ask(true);
        room.tell("Click a point to see why it is forbidden or allowed, or why a five does not win.");
      },
    ),
    far: button(
      "M3 12h18M3 8v8M21 8v8M9 10v4M15 10v4",
      "Distances",
      () => {
        room.view.options.distances = !room.view.options.distances;
        room.redraw();
      },
      {"aria-pressed": "false"},
    ),
  };
  const offers = {
    draw: button("M5 9h14M5 15h14", "Offer a draw", send("draw")),
    pause: button(...PAUSE, () => room.send(room.now.phase === "paused" ? "resume" : "pause")),
  };
  const end = {
    rematch: button("M4 9h14l-4-4M20 15H6l4 4", "Rematch", send("rematch"), {
      class: "primary",
      title: "another game with other colours",
    }),
    newGame: button("M12 5v14M5 12h14", "New game", () => {
      if (room.now.phase === "over") room.send("new");
      else twice(end.newGame, "Really give up", send("new"));
    }),
    other: h("a", {href: "#"}, "Home"),
    resign: button("M5 21V4h13l-3 4 3 4H5", "Resign", () => twice(end.resign, "Really resign", send("resign"))),
  };
  return {help, offers, end};
}

// Which buttons are there, and which of them can be pressed.
export function panel({now, buttons: b, board, groups}, mine) {
  const sits = now.mine.length > 0,
    playing = now.phase === "playing",
    over = now.phase === "over",
    {alone} = now;
  const use = (button, on, shown = sits) => {
    button.hidden = !shown;
    button.disabled = !on;
  };
  use(b.rematch, true, over && sits && now.mine.length < now.names.length);
  use(b.newGame, playing || now.phase === "paused" || over);
  b.newGame.classList.toggle("primary", over && b.rematch.hidden);
  b.other.hidden = !over && sits;
  use(b.undo, now.moves.length > 0 && (playing || (alone && over)), sits && (alone || !over));
  use(b.hint, mine, alone && !over);
  use(b.play, mine, alone && !over);
  use(b.why, !over, board.reasons);
  use(b.far, true, board.men);
  use(b.draw, playing, sits && !over && !(alone && now.machines.some(Boolean)));
  use(b.pause, playing || (now.phase === "paused" && now.mine.includes(now.by)), sits && !over);
  const [path, text] = now.phase === "paused" ? RESUME : PAUSE;
  b.pause.replaceChildren(...face(path, text));
  use(b.resign, playing || now.phase === "ready" || now.phase === "paused", sits && !over);
  for (const group of groups) group.hidden = ![...group.children].some(each => !each.hidden);
}
