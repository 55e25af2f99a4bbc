// The phones on which agents are held back: read whenever the server says that this changed, or events
// may have been missed. Dispatches "holding" on `events`.
import { announce, el, events, get, post } from "./api.js";

const PAUSE_MS = 1000;

let all = false;
let phones = new Set();
let reads = 0;

export const isHeld = (serial) => all || (serial ? phones.has(serial) : false);

async function read() {
  const own = ++reads;
  const reply = await get("held");
  if (own !== reads) return; // a later answer is newer
  const before = all || phones.size > 0;
  all = reply.all;
  phones = new Set(reply.phones);
  if (all || phones.size) announce("Agents are held back.");
  else if (before) announce("Agents may go on.");
  events.dispatchEvent(new CustomEvent("holding"));
}

const readAgain = () => read().catch(() => { /* the next hello reads again */ });
events.addEventListener("held", readAgain);
events.addEventListener("hello", readAgain);

// Stops agents, on one phone or on all, and lets them go on.
export function stopControl(serial, label, signal) {
  const message = el("span", { class: "bad", role: "alert" });
  const button = el("button", { type: "button", onclick: async () => {
    const held = isHeld(serial);
    message.textContent = "";
    button.disabled = true;
    try {
      await post(held ? "let-go" : "stop", { phone: all ? "" : serial });
      await read();
    } catch (failure) {
      message.textContent = failure.message;
    }
    button.disabled = waking !== null;
  } });
  const state = el("span", { class: "what", role: "status" });
  let shown = false, waking = null;
  const holder = el("div", { class: "stop-control" }, state, button, message);
  function draw() {
    const held = isHeld(serial);
    if (held !== shown) {
      // "Let go" appears where the pointer is: a second click on "Stop" must not let agents go on.
      clearTimeout(waking);
      waking = held ? setTimeout(() => { waking = null; button.disabled = false; }, PAUSE_MS) : null;
      button.disabled = held;
      shown = held;
    }
    holder.classList.toggle("held", held);
    state.textContent = held ? (all ? "All agents are held back." : "Agents are held back.") : "";
    button.textContent = held ? "Let go" : label;
    button.className = held ? "" : "stop";
    button.title = held ? "Let agents use the phone again" : "End what agents do now, and hold them back until you let go. You can go on.";
  }
  events.addEventListener("holding", draw, { signal });
  draw();
  return holder;
}
