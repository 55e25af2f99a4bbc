// Who has leased a phone, until when, and ending that. Read whenever the server says that it changed,
// or events may have been missed.
import { el, events, get, post } from "./api.js";
import { plain } from "./components.js";
import { clock } from "./format.js";

let leases = new Map();
let reads = 0;

async function read() {
  const own = ++reads;
  const phones = await get("phones");
  if (own !== reads) return; // a later answer is newer
  leases = new Map(phones.map((phone) => [phone.serial, phone.lease]));
  events.dispatchEvent(new CustomEvent("leased"));
}

const readAgain = () => read().catch(() => { /* the next hello reads again */ });
events.addEventListener("leases", readAgain);
events.addEventListener("hello", readAgain);

function words(lease) {
  if (lease.state === "pending") return `Being taken by ${lease.who}.`;
  const when = lease.state === "held" ? `until ${clock(lease.until)} at the latest` : "ending";
  return `Leased to ${lease.who}, ${when}.`;
}

export function leaseControl(phone, signal) {
  leases.set(phone.serial, phone.lease);
  const message = el("span", { class: "bad", role: "alert" });
  const state = el("span", { class: "what", role: "status" });
  const button = el("button", { type: "button", title: "What runs under the lease is stopped; then others can use the phone.", onclick: async () => {
    message.textContent = "";
    button.disabled = true;
    try {
      await post("lease/end", { phone: phone.serial });
      await read();
    } catch (failure) {
      message.textContent = failure.message;
    }
    button.disabled = false;
  } }, "End lease");
  const holder = el("div", { class: "lease-control row" }, state, button, message);
  function draw() {
    const lease = leases.get(phone.serial);
    holder.hidden = !lease;
    state.replaceChildren(...(lease ? [plain(words(lease))] : []));
    button.hidden = lease?.state === "ending";
  }
  events.addEventListener("leased", draw, { signal });
  draw();
  return holder;
}
