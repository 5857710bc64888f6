// What leaves a room: invitations, the link to watch, the position, files.
import {button, h, kept} from "./dom.js";
import {copy} from "./parts.js";

export function links(room) {
  const {id, path, board, view} = room,
    link = `${location.origin}/#room=${encodeURIComponent(id)}`,
    invites = kept.get("invites." + id, []);
  const copying = (text, what) => button(text, () => copy(what(), told => room.tell(told)));
  return [
    ...invites.map((invite, i) =>
      copying(`Copy invitation${invites.length > 1 ? ` ${i + 1}` : ""}`, () => `${link}&invite=${invite}`),
    ),
    copying("Copy link to watch", () => link),
    copying("Copy position", () => view.position.text),
    ...board.files.map(kind => h("a", {href: `${path}/record?format=${kind}`, download: true}, `Save .${kind}`)),
  ];
}
