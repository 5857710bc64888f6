// A text or file to analyse: moves, a position, SGF, .psq or JSON lines.
import {ask, h} from "./dom.js";
import {plain} from "./words.js";

const MOST = 65536; // bytes that the server takes

// `rules()`: the game and options for a text that does not name them.
export function paste(rules) {
  const text = h("textarea", {id: "pasted", rows: 4, spellcheck: "false", "aria-describedby": "pasted-help"}),
    file = h("input", {id: "file", type: "file", accept: ".sgf,.psq,.jsonl,.txt", onchange: () => read()}),
    why = h("pre", {class: "why", role: "alert"}),
    button = h("button", {type: "button", onclick: () => open(text.value)}, "Analyse");
  async function read() {
    const chosen = file.files[0];
    if (!chosen) return;
    if (chosen.size > MOST) why.textContent = `This file is too large (at most ${MOST / 1024} KB).`;
    else await open(decoded(await chosen.arrayBuffer()));
    file.value = "";
  }
  async function open(given) {
    button.disabled = true;
    why.textContent = "";
    try {
      const found = await ask("/api/analysis", {text: given, ...rules()});
      history.pushState({analysis: found}, "", "#analysis");
      dispatchEvent(new HashChangeEvent("hashchange"));
    } catch (error) {
      why.textContent = plain(error.message);
    }
    button.disabled = false;
  }
  return h(
    "div",
    {class: "paste"},
    h("label", {for: "pasted"}, "Moves, a position, or a game"),
    text,
    h(
      "small",
      {id: "pasted-help"},
      "Like h8 g6 f6 or h8g6f6. The rules above apply unless the text names its own. Leave empty for the start.",
    ),
    h("p", null, button, h("label", {for: "file"}, "or open a file (.sgf, .psq, .jsonl)"), file),
    why,
  );
}

// UTF-8, else what an SGF says, else Latin-1.
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", {fatal: true}).decode(bytes);
  } catch {
    const latin = new TextDecoder("latin1").decode(bytes),
      named = /\bCA\[([\w:.-]+)\]/.exec(latin);
    try {
      return named ? new TextDecoder(named[1]).decode(bytes) : latin;
    } catch {
      return latin;
    }
  }
}
