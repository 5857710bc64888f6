import {h, kept, there} from "./dom.js";

/** @type {(() => void) | null} */
let leave = null;
let routes = 0;

// The URL hash says what to show: nothing, or room=ID with key=KEY (a seat) or invite=SECRET, or analysis (what the
// page keeps for this entry of its history) or analysis with room=ID.
async function route() {
  const main = there("main"),
    at = new URLSearchParams(location.hash.slice(1)),
    number = ++routes,
    id = at.get("room");
  leave?.();
  leave = null;
  main.replaceChildren();
  there("net").textContent = "";
  const show = (...parts) => {
    if (number !== routes) return false; // the address has changed since
    main.replaceChildren(...parts);
    if (number > 1) main.focus({preventScroll: true});
    return true;
  };
  const refused = why =>
    show(
      h("h1", null, "This page cannot be shown"),
      h("p", {class: "why", role: "alert"}, why),
      h("p", null, h("a", {href: "#"}, "Choose a game")),
    );
  try {
    if (at.has("analysis")) {
      const {analyse} = await import("./analysis.js"),
        analysis = await analyse(id, history.state?.analysis);
      if (show(analysis.element)) leave = () => analysis.leave();
      else analysis.leave();
      return;
    }
    if (!id) {
      document.title = "amoba";
      const {home} = await import("./home.js");
      show(await home());
      import("./room.js"); // soon needed
      return;
    }
    const given = at.get("key"),
      key = given || kept.get("key." + id, null);
    if (at.get("invite") && !key) {
      const {invited} = await import("./invited.js");
      show(await invited(id, at.get("invite")));
      return;
    }
    const {Room} = await import("./room.js");
    if (number !== routes) return;
    const room = new Room(id, key, {
      onopen: () => {
        if (!given) return;
        kept.set("key." + id, given); // the server knows it
        history.replaceState(null, "", "#room=" + encodeURIComponent(id));
      },
      onfinal: refused,
    });
    leave = () => room.leave();
    show(room.element);
  } catch (error) {
    refused(error.message);
  }
}

addEventListener("hashchange", route);
route();
