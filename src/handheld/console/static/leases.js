// Who has leased a phone, and until when. Read whenever the server reports a change, or events may
// have been missed.
import { events, get, post } from "./api.js";
import { leaseButton } from "./controls.js";

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

export function leaseControl(phone, signal) {
  leases.set(phone.serial, phone.lease);
  return leaseButton(() => leases.get(phone.serial), async () => {
    await post("lease/end", { phone: phone.serial });
    await read();
  }, "leased", signal);
}
