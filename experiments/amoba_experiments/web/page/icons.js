// Pictures on buttons: outlines in a square of 24.
import {s} from "./dom.js";

const PATHS = {
  undo: "M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  hint: "M9.5 18h5M10.5 21h3M12 3a6 6 0 0 0-4 10.4c.9.9 1.5 1.6 1.5 2.6h5c0-1 .6-1.7 1.5-2.6A6 6 0 0 0 12 3z",
  play: "M13 3L5 14h6l-1 7 8-11h-6z",
  why: "M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 18v.3M12 2.5a9.5 9.5 0 1 0 0 19a9.5 9.5 0 1 0 0-19z",
  far: "M3 12h18M3 8v8M21 8v8M9 10v4M15 10v4",
  draw: "M5 9h14M5 15h14",
  pause: "M8 5v14M16 5v14",
  resume: "M7 4l13 8-13 8z",
  resign: "M5 21V4h13l-3 4 3 4H5",
  rematch: "M4 9h14l-4-4M20 15H6l4 4",
  newGame: "M12 5v14M5 12h14",
};

export const icon = name =>
  s("svg", {class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true"}, s("path", {d: PATHS[name]}));
