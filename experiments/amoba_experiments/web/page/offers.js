// What a person in a room is asked: offers of the others, and what to do about those who left or are away.
import {button, h} from "./dom.js";
import {ASKS} from "./words.js";

export class Offers {
  element = h("div", {class: "offer", role: "alert", hidden: true});
  of = "";

  constructor(send) {
    this.send = send;
  }

  // `may`: 1 + the seat of who is away, or 0.
  show(now, name, may) {
    const {offer, phase} = now,
      sits = now.mine.length > 0,
      left = phase === "left" && sits && !now.mine.includes(now.by);
    const of = JSON.stringify([offer, phase, left, sits, now.agreed, now.names, may]);
    if (this.of === of) return;
    this.of = of;
    const act = (text, what, more) => button(text, () => this.send(what, more)),
      text = words => h("span", null, words),
      parts = [];
    if (offer)
      parts.push(
        text(`${name(offer.seat)} ${ASKS[offer.what]}.`),
        sits && !now.agreed && act("Accept", "accept", {move: offer.what}),
        sits && act(now.agreed ? "Withdraw" : "Decline", "decline"),
      );
    else if (left)
      parts.push(
        text(`Go on without ${name(now.by)}?`),
        act("Continue with a machine", "machine"),
        act("End the game", "end"),
      );
    if (may && phase === "paused")
      parts.push(text(`${name(may - 1)} asked for the pause, and is away.`), act("Resume", "resume"));
    else if (may)
      parts.push(
        text(`${name(may - 1)} has been away for a minute.`),
        act(now.names.length > 2 ? `Go on without ${name(may - 1)}` : "Claim the win", "claim", {move: "win"}),
        act("Claim a draw", "claim", {move: "draw"}),
      );
    this.element.replaceChildren(...parts.filter(Boolean));
    this.element.querySelector("button")?.classList.add("primary");
    this.element.hidden = !parts.length;
  }
}
