// What passes between two messages of the server: clocks, and who is away for how long.
const clock = ms => {
  const all = Math.ceil(ms / 1000);
  return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`;
};

/** @type {[number, string][]} */
const UNITS = [
  [86_400_000, "days"],
  [3_600_000, "h"],
  [60_000, "min"],
];

function span(ms) {
  const [length, unit] = UNITS.find(([length]) => ms >= 2 * length) || [1000, "s"];
  return `${Math.floor(ms / length)} ${unit}`;
}

// `rows`: of the seats, see seats.js; `since`: milliseconds since the server sent the room.
export function pass({clock: at, mine, by, away}, rows, pause, since) {
  away.forEach((ms, seat) => {
    rows[seat].away.textContent = ms === null ? "" : `away for ${span(ms + since)}`;
  });
  if (!at) return;
  at.left.forEach((left, seat) => {
    const rest = Math.max(0, left - (seat === at.running ? at.elapsed + since : 0));
    rows[seat].clock.textContent = clock(rest);
    rows[seat].clock.classList.toggle("low", rest < 10000);
  });
  if (at.pause === null) return;
  const rest = Math.max(0, at.pause - since); // then anybody may resume
  pause.disabled = rest > 0 && !mine.includes(by);
  pause.lastChild.textContent = rest ? `Resume (${clock(rest)})` : "Resume";
}
