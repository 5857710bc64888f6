// Games on a page: a slider, buttons, the list of moves, and keys. See page.py, which makes the elements.
//
// The fragment of the page's address names a position: "#move-12", on a page of several games "#game-2-move-12".
const games = document.querySelectorAll(".game");
const only = document.querySelectorAll("main > .game").length === 1;
games.forEach((game, number) => {
  const get = name => /** @type {HTMLElement} */ (game.querySelector(name));
  const slider = /** @type {HTMLInputElement} */ (get("input"));
  const box = get(".moves");
  /** @type {{frames: string[], captions: string[], moves: string[]}} */
  const {frames, captions, moves} = JSON.parse(get("script").textContent ?? "");
  const prefix = (games.length > 1 ? "#game-" + (number + 1) + "-" : "#") + "move-";
  let at = -1;
  let timer = 0; // of the playing; 0: it stands still

  function show(i) {
    i = Math.max(0, Math.min(frames.length - 1, i));
    if (i === at) return;
    at = i;
    const move = i ? "move " + i + ", " + moves[i - 1] + ": " : "";
    get(".pieces").innerHTML = frames[i];
    get(".caption").textContent = captions[i];
    get("svg").setAttribute("aria-label", "board: " + move + captions[i]);
    slider.value = String(i);
    slider.setAttribute("aria-valuetext", i + " of " + moves.length + (i ? ", " + moves[i - 1] : ""));
    for (const a of list) a.removeAttribute("aria-current");
    const now = list[i - 1];
    now?.setAttribute("aria-current", "true");
    if (now) box.scrollTop = now.offsetTop - box.clientHeight / 2;
  }

  function go(i) {
    show(i);
    try {
      history.replaceState(null, "", prefix + at);
    } catch {
      /* not where pages have no address */
    }
  }

  function label(text, sign) {
    get(".play").setAttribute("aria-label", text);
    get(".play").innerHTML = sign;
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    get(".caption").setAttribute("aria-live", "polite");
    label("play the moves", "&#9654;");
  }

  function play() {
    if (timer) return stop();
    get(".caption").setAttribute("aria-live", "off"); // a position every 0.6 s is too fast to be read out
    if (at === frames.length - 1) go(0);
    label("stop", "&#10073;&#10073;");
    timer = setInterval(() => {
      go(at + 1);
      if (at === frames.length - 1) stop();
    }, 600);
  }

  const list = moves.map((text, n) => {
    const a = document.createElement("a");
    const item = document.createElement("li");
    a.textContent = n + 1 + ". " + text;
    a.href = prefix + (n + 1);
    a.onclick = event => {
      event.preventDefault();
      stop();
      go(n + 1);
    };
    item.append(a);
    box.append(item);
    return a;
  });

  const jump = i => () => {
    stop();
    go(i());
  };
  const first = jump(() => 0);
  const back = jump(() => at - 1);
  const next = jump(() => at + 1);
  const last = jump(() => frames.length - 1);
  for (const [name, act] of Object.entries({first, back, next, last, play})) get("button." + name).onclick = act;
  slider.oninput = jump(() => +slider.value);

  const keys = {ArrowLeft: back, ArrowRight: next, Home: first, End: last, " ": play};
  const heard = /** @type {HTMLElement} */ (only ? document : game);
  heard.addEventListener("keydown", event => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target === slider && event.key !== " ") return; // it understands these keys itself
    if (event.key === " " && /** @type {Element} */ (event.target).closest("button")) return; // the button is pressed
    event.preventDefault();
    keys[event.key]();
  });

  function follow() {
    const named = location.hash.startsWith(prefix) ? /^[0-9]+$/.exec(location.hash.slice(prefix.length)) : null;
    if (named) {
      stop();
      show(+named[0]);
    }
    return named;
  }
  addEventListener("hashchange", follow);
  if (!follow()) show(frames.length - 1);
});
