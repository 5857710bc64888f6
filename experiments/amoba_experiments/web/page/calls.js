// The title of the tab and a sound say that it is my turn.
import {kept} from "./dom.js";

/** @type {AudioContext | undefined} */
let audio;

export const call = (title, yours) => {
  document.title = `${yours ? "Your turn - " : ""}${title} - amoba`;
};

// Browsers play sound only after a touch or a key; after sleep, a phone needs another.
for (const each of ["pointerdown", "keydown", "change"])
  addEventListener(each, () => {
    if (!kept.get("sound", false)) return;
    audio ??= new AudioContext();
    audio.resume();
  });

// A higher tone where it is my turn.
export function beep(yours) {
  if (!kept.get("sound", false) || audio?.state !== "running") return;
  const tone = audio.createOscillator(),
    volume = audio.createGain();
  tone.frequency.value = yours ? 660 : 440;
  volume.gain.setValueAtTime(0.08, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.15);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.16);
}
