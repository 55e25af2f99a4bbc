// A person's controls over a phone: stopping agents, and ending a lease.
import { el, events } from "./api.js";
import { plain } from "./components.js";
import { clock } from "./format.js";

const PAUSE_MS = 1000;

// Stops and resumes agents. `held` returns the sentence to show while agents are held back, else "";
// `set` changes that. Each event `changed` redraws it.
export function stopButton(label, held, set, changed, signal) {
  const message = el("span", { class: "bad", role: "alert" });
  const button = el("button", { type: "button", onclick: async () => {
    message.textContent = "";
    button.disabled = true;
    try {
      await set(!held());
    } catch (failure) {
      message.textContent = failure.message;
    }
    button.disabled = waking !== null;
  } });
  const state = el("span", { class: "what", role: "status" });
  let shown = false, waking = null;
  const holder = el("div", { class: "stop-control" }, state, button, message);
  function draw() {
    const words = held(), on = Boolean(words);
    if (on !== shown) {
      // "Resume agents" appears under the pointer: a second click on "Stop" must not press it.
      clearTimeout(waking);
      waking = on ? setTimeout(() => { waking = null; button.disabled = false; }, PAUSE_MS) : null;
      button.disabled = on;
      shown = on;
    }
    holder.classList.toggle("held", on);
    state.textContent = words;
    button.textContent = on ? "Resume agents" : label;
    button.className = on ? "" : "stop";
    button.title = on ? "Let agents use the phone again" : "Stop what agents do now, and hold them back until you resume them. You can still use the phone.";
  }
  events.addEventListener(changed, draw, { signal });
  draw();
  return holder;
}

export function leaseWords(lease) {
  if (lease.state === "pending") return `Being leased by ${lease.who}.`;
  const when = lease.state === "held" ? `until ${clock(lease.until)} at the latest` : "ending";
  return `Leased to ${lease.who}, ${when}.`;
}

// Shows who has leased a phone until when, and ends the lease. Each event `changed` redraws it.
export function leaseButton(lease, end, changed, signal) {
  const message = el("span", { class: "bad", role: "alert" });
  const state = el("span", { class: "what", role: "status" });
  const button = el("button", { type: "button", title: "Stop the calls under the lease; then others can use the phone.", onclick: async () => {
    message.textContent = "";
    button.disabled = true;
    try {
      await end();
    } catch (failure) {
      message.textContent = failure.message;
    }
    button.disabled = false;
  } }, "End lease");
  const holder = el("div", { class: "lease-control row" }, state, button, message);
  function draw() {
    const now = lease();
    holder.hidden = !now;
    state.replaceChildren(...(now ? [plain(leaseWords(now))] : []));
    button.hidden = now?.state === "ending";
  }
  events.addEventListener(changed, draw, { signal });
  draw();
  return holder;
}
