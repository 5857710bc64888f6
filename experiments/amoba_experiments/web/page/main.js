import {h, kept, there} from "./dom.js";
import {home} from "./home.js";
import {room} from "./room.js";

/** @type {(() => void) | null} */
let leave = null;

// The address after the # says what is shown: nothing, or room=ID with key=KEY (a seat) or invite=SECRET.
async function route() {
  const main = there("main"),
    at = new URLSearchParams(location.hash.slice(1));
  if (leave) leave();
  leave = null;
  main.replaceChildren();
  there("net").textContent = "";
  const id = at.get("room");
  try {
    if (!id) {
      document.title = "amoba";
      await home(main);
      return;
    }
    if (at.get("key")) {
      kept.set("key." + id, at.get("key"));
      history.replaceState(null, "", "#room=" + encodeURIComponent(id));
    }
    leave = await room(main, id, kept.get("key." + id, null), at.get("invite"));
  } catch (error) {
    main.replaceChildren(
      h("p", {class: "why", role: "alert"}, error.message),
      h("p", null, h("a", {href: "#"}, "Choose a game")),
    );
  }
}

addEventListener("hashchange", route);
route();
