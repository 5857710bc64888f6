// A tree of variations, and the list that shows it: one tab stop, with the arrow keys.
import {button, h} from "./dom.js";

/**
 * @typedef {{move: string, ply: number, parent: Node | null, children: Node[], comment: string, shown: any, found: any}} Node
 */

/** @returns {Node} */
export const node = (move, parent) => ({
  move,
  ply: parent ? parent.ply + 1 : 0,
  parent,
  children: [],
  comment: "",
  shown: null, // the position, once the server has sent it
  found: null, // what a search sees in it
});

// The node after a move, which is new if it was not there.
function child(/** @type {Node} */ of, move) {
  let found = of.children.find(each => each.move === move);
  if (!found) of.children.push((found = node(move, of)));
  return found;
}

// Add a line; returns its last node.
export function grow(root, {moves, comments = {}}) {
  let at = root;
  root.comment = comments[0] || root.comment;
  for (const move of moves) {
    at = child(at, move);
    at.comment = comments[at.ply] || at.comment;
  }
  return at;
}

/** @returns {Node[]} the nodes from the root to this one */
export const path = at => (at.parent ? [...path(at.parent), at] : [at]);
export const moves = at =>
  path(at)
    .slice(1)
    .map(each => each.move);

// All lines, the main line first.
export function lines(at) {
  if (at.children.length) return at.children.flatMap(lines);
  const comments = path(at)
    .filter(each => each.comment)
    .map(each => [each.ply, each.comment]);
  return [{moves: moves(at), comments: Object.fromEntries(comments)}];
}

export class Variations {
  /** @type {Map<Node, HTMLElement>} */ buttons = new Map();

  /** @param {(node: Node) => void} onlook */
  constructor(onlook) {
    this.onlook = onlook;
    this.element = h("div", {class: "variations", role: "group", "aria-label": "moves and variations"});
    this.element.addEventListener("keydown", event => this.key(event));
  }

  // Draw the tree again; its shape has changed.
  draw(root, at) {
    this.at = at;
    const focused = this.element.contains(document.activeElement);
    this.buttons.clear();
    this.element.replaceChildren(this.line(root));
    this.mark(at);
    if (focused) this.buttons.get(at)?.focus();
  }

  // A node and its main line; a variation is indented, after the move that it replaces.
  line(first) {
    const items = [];
    for (let each = first; each; each = each.children[0]) {
      items.push(h("li", null, this.button(each)));
      if (each !== first) items.push(this.others(each));
    }
    return h("ol", null, items);
  }

  others(main) {
    return main.parent.children.slice(1).map(each => h("li", {class: "aside"}, this.line(each)));
  }

  button(each) {
    const text = each.parent ? `${each.ply}. ${each.move}` : "Start",
      made = button(text, () => this.onlook(each), {tabindex: -1});
    this.buttons.set(each, made);
    return made;
  }

  mark(at) {
    const before = this.buttons.get(this.at),
      now = this.buttons.get(at);
    before?.classList.remove("now");
    before?.removeAttribute("aria-current");
    before?.setAttribute("tabindex", "-1");
    this.at = at;
    now?.classList.add("now");
    now?.setAttribute("aria-current", "true");
    now?.setAttribute("tabindex", "0");
    if (now) {
      const {offsetTop, offsetHeight} = now,
        box = this.element;
      if (offsetTop < box.scrollTop || offsetTop + offsetHeight > box.scrollTop + box.clientHeight)
        box.scrollTop = offsetTop - box.clientHeight / 2;
    }
  }

  // Left and right along the line, up and down between the variations of the last fork.
  key(event) {
    const at = this.at;
    let fork = at,
      ends = at;
    while (fork.parent && fork.parent.children.length < 2) fork = fork.parent;
    const same = fork.parent?.children || [],
      place = same.indexOf(fork);
    if (event.key === "Home") while (ends.parent) ends = ends.parent;
    if (event.key === "End") while (ends.children.length) ends = ends.children[0];
    const to = {
      ArrowLeft: at.parent,
      ArrowRight: at.children[0],
      ArrowUp: same[place - 1],
      ArrowDown: same[place + 1],
      Home: ends,
      End: ends,
    };
    if (!(event.key in to)) return;
    event.preventDefault();
    if (!to[event.key]) return;
    this.onlook(to[event.key]);
    this.buttons.get(to[event.key])?.focus();
  }
}
