// What somebody sees who follows an invitation.
import {ask, h, kept, person, statement} from "./dom.js";

export async function invited(id, invite) {
  const path = `/api/rooms/${encodeURIComponent(id)}`,
    now = await ask(path);
  const name = h("input", {id: "name", value: kept.get("name", ""), maxlength: 40, autocomplete: "nickname"}),
    why = h("p", {class: "why", role: "alert"});
  const form = h(
    "form",
    {class: "invited"},
    h("h1", null, "You are invited"),
    h("p", null, `Players: ${now.names.filter(Boolean).join(", ") || "none yet"}.`),
    h("div", {class: "field"}, h("label", {for: "name"}, "My name"), name),
    h(
      "p",
      {class: "go"},
      h("button", {class: "primary"}, "Sit down"),
      " ",
      h("a", {href: "#room=" + encodeURIComponent(id)}, "Watch only"),
    ),
    why,
    statement(),
  );
  form.addEventListener("submit", async event => {
    event.preventDefault();
    try {
      const {key} = await ask(`${path}/join`, {invite, name: name.value.trim(), person: person()});
      kept.set("name", name.value.trim());
      kept.set("key." + id, key);
      location.hash = "room=" + encodeURIComponent(id);
    } catch (error) {
      why.textContent = error.message;
    }
  });
  return form;
}
