// Stones and men with depth, and the signs of tic-tac-toe.
import {s} from "./dom.js";

const parts = color => [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16));
const mixed = (color, to, share) => `rgb(${parts(color).map(part => Math.round(part + (to - part) * share))})`;
const light = color => {
  const [r, g, b] = parts(color);
  return 0.299 * r + 0.587 * g + 0.114 * b;
};

export const ink = color => (light(color) > 125 ? "#16161a" : "#ffffff");

// The light on stones of these colours, for <defs>.
export const lights = (colors, turn) =>
  colors.map(color =>
    s(
      "radialGradient",
      {
        id: `light-${color.slice(1)}`,
        cx: 0.36,
        cy: 0.3,
        r: 0.75,
        gradientTransform: `rotate(${-turn} .5 .5)`,
      },
      s("stop", {offset: 0, "stop-color": mixed(color, 255, light(color) > 200 ? 0.9 : 0.38)}),
      s("stop", {offset: 0.55, "stop-color": color}),
      s("stop", {offset: 1, "stop-color": mixed(color, 0, light(color) > 200 ? 0.2 : 0.32)}),
    ),
  );

// A stone or man; `sign`: X or O in its place.
export function piece([x, y], radius, color, sign, turn = 0) {
  if (sign) {
    const r = 0.62 * radius,
      d = sign === "X" ? `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}` : "";
    return s("g", {class: `piece sign${sign}`}, d ? s("path", {d}) : s("circle", {cx: x, cy: y, r: 1.1 * r}));
  }
  const a = (turn * Math.PI) / 180, // the board is turned; the light is not
    below = [x + 0.09 * radius * Math.sin(a), y + 0.09 * radius * Math.cos(a)];
  return s(
    "g",
    {class: "piece"},
    s("circle", {class: "shade", cx: below[0], cy: below[1], r: radius}),
    s("circle", {class: "stone", cx: x, cy: y, r: radius, fill: `url(#light-${color.slice(1)})`}),
  );
}
