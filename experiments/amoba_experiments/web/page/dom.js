// Elements in one line: h("button", {class: "big", onclick: f}, "Start"). Text is never parsed as HTML.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, given, children) {
  for (const [key, value] of Object.entries(given || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (["value", "checked", "disabled", "selected", "hidden"].includes(key)) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter(each => each !== null && each !== undefined && each !== false));
  return element;
}

export const h = (tag, given, ...children) => fill(document.createElement(tag), given, children);
export const s = (tag, given, ...children) => fill(document.createElementNS(SVG, tag), given, children);

export const button = (text, act, more) => h("button", {type: "button", onclick: act, ...more}, text);

/** @param {string} id */
export function there(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

export function say(text) {
  const live = there("live");
  live.textContent = live.textContent === text ? text + "\u00a0" : text;
}

const unstored = new Map(); // what the browser does not store is kept until the page is left

export const kept = {
  get(key, usual) {
    try {
      return JSON.parse(unstored.get(key) ?? localStorage.getItem("amoba." + key) ?? "null") ?? usual;
    } catch {
      return usual;
    }
  },
  set(key, value) {
    const text = JSON.stringify(value);
    try {
      localStorage.setItem("amoba." + key, text);
      unstored.delete(key);
    } catch {
      unstored.set(key, text);
    }
  },
};

// A text that nobody can guess.
export const secret = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, "0")).join("");

// An id by which the server recognises this browser, see statement().
export function person() {
  const id = kept.get("person", null) || secret();
  kept.set("person", id);
  return id;
}

// Shown wherever a name is asked for.
export const statement = () =>
  h(
    "details",
    null,
    h("summary", null, "What is stored about you"),
    h(
      "p",
      null,
      "The server stores your name and a number that identifies this browser. For each game it stores the moves and their times, the hints and machine moves you asked for, the moves you took back, the clock and the date. ",
      "Whoever runs the server can read this and delete it by name. Nothing else is stored.",
    ),
  );

// The answer to a request. Throws what the server says if it refuses.
export async function fetched(path, body, key, signal) {
  /** @type {Record<string, string>} */
  const headers = body === undefined ? {} : {"content-type": "application/json"};
  if (key) headers.authorization = "Bearer " + key;
  const given = body === undefined ? {} : {method: "POST", body: JSON.stringify(body)};
  const answer = await fetch(path, {...given, headers, signal});
  if (answer.ok) return answer;
  const json = (answer.headers.get("content-type") || "").includes("json"),
    found = json ? await answer.json() : {why: await answer.text()};
  throw Object.assign(new Error(found.why || "the server refused"), {found, status: answer.status});
}

export const ask = async (path, body, key) => (await fetched(path, body, key)).json();

// Keys with Alt, Ctrl or the command key are the browser's.
addEventListener("keydown", event => (event.altKey || event.ctrlKey || event.metaKey) && event.stopPropagation(), true);
