// What rooms and the analysis share.
import {button, h, kept, say} from "./dom.js";
import {choice, choiceName, plain} from "./words.js";

// The first click asks, the second one acts. The button's text is in a span.
export function twice(button, words, act) {
  const label = button.querySelector("span"),
    usual = label.textContent;
  if (button.classList.contains("sure")) {
    button.dispatchEvent(new Event("blur")); // resets it; the focus stays
    act();
    return;
  }
  const reset = () => {
    label.textContent = usual;
    button.classList.remove("sure");
    button.removeEventListener("blur", reset);
    clearTimeout(soon);
  };
  const soon = setTimeout(reset, 5000);
  label.textContent = words;
  button.classList.add("sure");
  button.addEventListener("blur", reset);
  button.focus();
  say(`${words}? Press again.`);
}

// A check box that the browser remembers.
export function toggle(key, usual, text, act) {
  const box = h("input", {
    type: "checkbox",
    checked: kept.get(key, usual),
    onchange: () => {
      kept.set(key, box.checked);
      act(box.checked);
    },
  });
  return h("label", {class: "check"}, box, text);
}

// What the server says.
export function tell(element, text, refused) {
  element.textContent = plain(text);
  element.classList.toggle("info", !refused);
}

// What can be chosen in place of a cell, and what it means.
export const choices = (names, act) =>
  names.map(name => {
    const id = "choice-" + name;
    return h(
      "li",
      null,
      button(choiceName(name), () => act(name), {class: "primary", "aria-describedby": id}),
      h("span", {id}, choice(name)),
    );
  });

// Steps through the moves, with a slider if there is one.
export function steps(first, back, on, last, slider = null) {
  const step = (label, text, act) => button(text, act, {"aria-label": label});
  return h(
    "div",
    {class: "steps"},
    step("first position", "\u21e4", first),
    step("one move back", "\u2190", back),
    slider,
    step("one move on", "\u2192", on),
    step("last position", "\u21e5", last),
  );
}

// Copy a text and say so, or show it where it cannot be copied.
export async function copy(text, tell) {
  try {
    await navigator.clipboard.writeText(text); // a page without https has no clipboard
    tell("copied");
  } catch {
    tell(text);
  }
}

// To call after a change of an element: `focus` then sets the focus, if the change took it away.
export function refocus(element, focus) {
  const active = /** @type {any} */ (document.activeElement),
    was = element.contains(active) ? active : null;
  return () => {
    if (was && (!was.isConnected || !was.checkVisibility() || was.disabled)) focus();
  };
}
