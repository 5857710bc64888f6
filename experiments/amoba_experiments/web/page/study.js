// A study: the text of consent, the games one after another, thanks. The link of a participant is #participant=ID&key=KEY.
import {ask, h, there} from "./dom.js";
import {Room} from "./room.js";
import {color, title} from "./words.js";

// A room that shows only the game, and only the buttons that the study allows.
class StudyRoom extends Room {
  constructor(at, events, onover) {
    super(at.room, at.key, events);
    this.blind = at.blind;
    this.onover = onover;
    this.review.room = this.levels.show = () => {}; // they would ask the server
    const allowed = ["resign", "far", ...at.allow];
    for (const [name, button] of Object.entries(this.buttons)) if (!allowed.includes(name)) button.remove();
    for (const each of [this.links, this.review.element, this.counted.parentElement]) each.remove();
  }

  panel() {
    super.panel();
    if (!this.now.moves.length) this.buttons.resign.disabled = true; // each game has data
  }

  show(now) {
    const names = now.names.map((name, seat) => (this.blind && now.machines[seat] ? "Opponent" : name));
    super.show({...now, names});
    if (now.phase === "over") this.onover();
  }
}

/** @type {StudyRoom | null} */
let room = null;

async function go(what) {
  const at = new URLSearchParams(location.hash.slice(1)),
    link = {participant: at.get("participant"), key: at.get("key")},
    id = link.participant;
  try {
    if (!id || !link.key) throw new Error("This page is a study. Please open the link that you were given.");
    show(await ask("/api/study", {...link, ...what}), id);
  } catch (error) {
    failed(error.message);
  }
}

const failed = why =>
  page(
    h(
      "div",
      {class: "text"},
      h("h1", null, "Nothing to show"),
      h("p", {class: "why", role: "alert"}, why),
      button("Try again", {do: "look"}),
    ),
  );

const button = (text, what, primary = false) =>
  h("button", {type: "button", class: primary && "primary", onclick: () => go(what)}, text);

function page(...parts) {
  room?.leave();
  room = null;
  there("net").textContent = "";
  there("main").replaceChildren(...parts);
  there("main").focus({preventScroll: true});
  scrollTo(0, 0);
}

function show(at, id) {
  there("title").textContent = at.title;
  const text = (...parts) => page(h("div", {class: "text"}, parts));
  if (at.consent) text(consent(at, id));
  else if (at.answer === "withdrew") text(h("h1", null, "You have withdrawn"), h("p", null, "Your data was deleted."));
  else if (at.thanks) text(h("h1", null, "The end"), paragraphs(at.thanks));
  else if (at.room) play(at);
  else text(begins(at));
  progress(at);
  document.title = at.title;
}

const paragraphs = text =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map(part => h("p", null, part));

function consent(at, id) {
  const declined = at.answer === "declined";
  return [
    h("h1", null, at.title),
    declined && h("p", {role: "status"}, "You do not take part. Only this answer is stored. You can still agree."),
    paragraphs(at.consent),
    h(
      "p",
      null,
      h(
        "small",
        null,
        `If you agree, the server stores under the ID ${id}: when you agreed, and for each game the date, the moves (also those taken back) and their times, the clocks, the hints, and who chose each move. Until then it stores only your answer.`,
      ),
    ),
    h(
      "div",
      {class: "go"},
      button("I agree", {do: "agree"}, true),
      !declined && button("I do not agree", {do: "decline"}),
    ),
  ];
}

function progress(at) {
  const words = `Game ${at.done + 1} of ${at.games}`,
    bar = h("progress", {max: at.games, value: at.done, "aria-label": "games played"});
  there("progress").replaceChildren(...(at.next ? [words, bar] : []));
}

function begins(at) {
  const {game, color: name, begins, clock} = at.next,
    who = begins === null ? "Who begins is chosen at random." : begins ? "You begin." : "Your opponent begins.",
    minutes =
      clock &&
      `You have ${clock.main / 60000} min${clock.increment ? ` and ${clock.increment / 1000} s more for each move` : ""}.`;
  return [
    h("h1", null, title(game)),
    h("p", null, `You play ${color(game, name)}. ${who} ${minutes || ""}`),
    h("div", {class: "go"}, button("Start", {do: "start", number: at.done}, true)),
  ];
}

function play(at) {
  const next = button("Continue", {do: "look"}, true);
  next.hidden = true;
  page();
  room = new StudyRoom(at, {onfinal: failed}, () => {
    next.hidden = false;
  });
  room.turnLine.after(next);
  there("main").replaceChildren(room.element);
}

addEventListener("hashchange", () => go({do: "look"}));
go({do: "look"});
