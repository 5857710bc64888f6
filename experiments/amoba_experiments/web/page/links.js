// What leaves a room: invitations, the link to watch, the position, files.
import {h, kept} from "./dom.js";

export function links(room) {
  const {id, path, board, view} = room,
    link = `${location.origin}/#room=${encodeURIComponent(id)}`,
    invites = kept.get("invites." + id, []);
  const copy = (text, what) =>
    h(
      "button",
      {
        type: "button",
        onclick: () =>
          navigator.clipboard.writeText(what()).then(
            () => room.tell("copied"),
            () => room.tell(what()),
          ),
      },
      text,
    );
  return [
    ...invites.map((invite, i) =>
      copy(`Copy invitation${invites.length > 1 ? ` ${i + 1}` : ""}`, () => `${link}&invite=${invite}`),
    ),
    copy("Copy link to watch", () => link),
    copy("Copy position", () => view.position.text),
    ...board.files.map(kind => h("a", {href: `${path}/record?format=${kind}`, download: true}, `Save .${kind}`)),
  ];
}
