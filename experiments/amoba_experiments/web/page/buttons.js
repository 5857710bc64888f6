// The buttons of a room, in groups, and when they can be used.
import {h} from "./dom.js";
import {icon} from "./icons.js";
import {twice} from "./parts.js";

export function buttons(room) {
  const button = (name, text, act, more) =>
    h("button", {type: "button", onclick: act, ...more}, icon(name), h("span", null, text));
  const send = what => () => room.send(what);
  return {
    undo: button("undo", "Undo", send("undo")),
    hint: button("hint", "Hint", () => room.net.send({ask: "hint"})),
    play: button("play", "Machine move", () => room.net.send({ask: "play"})),
    why: button("why", "Why?", () => {
      room.view.asking = true;
      room.svg.classList.add("asking");
      room.tell("Click a point to see why it is forbidden or allowed, or why a five does not win.");
    }),
    far: button(
      "far",
      "Distances",
      () => {
        room.view.options.distances = !room.view.options.distances;
        room.redraw();
      },
      {"aria-pressed": "false"},
    ),
    draw: button("draw", "Offer a draw", send("draw")),
    pause: button("pause", "Pause", () => room.send(room.now.phase === "paused" ? "resume" : "pause")),
    resign: button("resign", "Resign", () => twice(room.buttons.resign, "Really resign", send("resign"))),
    rematch: button("rematch", "Rematch", send("rematch"), {
      class: "primary",
      title: "another game with other colours",
    }),
    newGame: button("newGame", "New game", () => {
      if (room.now.phase === "over") room.send("new");
      else twice(room.buttons.newGame, "Really give up", send("new"));
    }),
  };
}

// Which buttons are there, and which of them can be pressed.
export function panel({now, buttons: b, board, groups, other}, mine) {
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
  other.hidden = !over && sits;
  use(b.undo, now.moves.length > 0 && (playing || (alone && over)), sits && (alone || !over));
  use(b.hint, mine, alone && !over);
  use(b.play, mine, alone && !over);
  use(b.why, !over, board.reasons);
  use(b.far, true, board.men);
  use(b.draw, playing, sits && !over && !(alone && now.machines.some(Boolean)));
  use(b.pause, playing || (now.phase === "paused" && now.mine.includes(now.by)), sits && !over);
  const does = now.phase === "paused" ? "Resume" : "Pause";
  b.pause.replaceChildren(icon(does.toLowerCase()), h("span", null, does));
  use(b.resign, playing || now.phase === "ready" || now.phase === "paused", sits && !over);
  for (const group of groups) group.hidden = ![...group.children].some(each => !each.hidden);
}
