// The connection to a room. It reconnects by itself and sends unacknowledged messages again.
import {there} from "./dom.js";

const PING = 5000, // milliseconds without a message, after which we ask
  SILENCE = 4000, // without an answer to that
  REPEAT = 2500;

export class Net {
  /** @type {WebSocket} */ socket;
  heard = 0;
  asked = 0; // when we asked, or began to connect, if nothing has come since

  constructor(id, key, {onboard, onroom, onanswer, onfinal}) {
    this.id = id;
    this.key = key;
    this.onboard = onboard;
    this.onroom = onroom;
    this.onanswer = onanswer;
    this.onfinal = onfinal;
    this.waiting = new Map();
    this.tries = 0;
    this.count = 0;
    this.tag = Math.random().toString(36).slice(2, 10);
    this.beat = setInterval(() => this.check(), 1000);
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/api/rooms/${encodeURIComponent(this.id)}/live`);
    this.socket = socket;
    this.asked = Date.now() + PING; // connecting may take longer
    socket.onopen = () => {
      socket.send(JSON.stringify({key: this.key || null}));
      for (const [, each] of this.waiting) {
        each.sent = Date.now();
        socket.send(each.text);
      }
    };
    socket.onmessage = event => {
      if (socket !== this.socket) return;
      this.heard = Date.now();
      this.asked = 0;
      this.tries = 0;
      this.take(JSON.parse(event.data));
    };
    socket.onclose = () => {
      socket.onclose = null; // a silent socket is closed twice: by us and by the network
      if (socket !== this.socket || this.closed) return;
      there("net").textContent = "reconnecting";
      this.tries += 1;
      setTimeout(() => this.closed || this.open(), Math.min(3000, 200 * 2 ** this.tries));
    };
  }

  take(message) {
    if (message.type === "board") this.onboard(message);
    else if (message.type === "room") {
      there("net").textContent = "";
      this.onroom(message);
    } else if (message.final) {
      this.close();
      this.onfinal(message.why);
    } else if (message.type !== "pong") {
      const known = message.id && this.waiting.get(message.id);
      if (message.id) this.waiting.delete(message.id);
      if (known || !message.id) this.onanswer(message, known ? known.message : null);
    }
  }

  send(message) {
    const id = `${this.tag}${this.count++}`,
      text = JSON.stringify({...message, id});
    this.waiting.set(id, {message, text, sent: Date.now()});
    if (this.socket.readyState === 1) this.socket.send(text);
  }

  check() {
    const now = Date.now();
    // Counted from when we asked, as background pages run only once a minute.
    if (this.socket.readyState < 2 && this.asked && now - this.asked > SILENCE) {
      const lost = this.socket.onclose;
      this.socket.close();
      lost?.call(this.socket, new CloseEvent("close"));
      return;
    }
    if (this.socket.readyState !== 1) return;
    if (!this.asked && now - this.heard > PING) {
      this.asked = now;
      this.socket.send('{"do":"ping"}');
    }
    for (const [, each] of this.waiting)
      if (!each.message.ask && now - each.sent > REPEAT) {
        each.sent = now;
        this.socket.send(each.text);
      }
  }

  close() {
    this.closed = true;
    clearInterval(this.beat);
    this.socket.close();
  }
}
