// The phones on which agents are held back. Read whenever the server reports a change, or events may
// have been missed. Dispatches "holding" on `events`.
import { announce, events, get, post } from "./api.js";
import { stopButton } from "./controls.js";

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
  else if (before) announce("Agents are resumed.");
  events.dispatchEvent(new CustomEvent("holding"));
}

const readAgain = () => read().catch(() => { /* the next hello reads again */ });
events.addEventListener("held", readAgain);
events.addEventListener("hello", readAgain);

// Stops and resumes agents, on one phone or on all.
export function stopControl(serial, label, signal) {
  const held = () => all ? "All agents are held back." : isHeld(serial) ? "Agents are held back." : "";
  return stopButton(label, held, async (stop) => {
    await post(stop ? "stop" : "resume", { phone: all ? "" : serial });
    await read();
  }, "holding", signal);
}
