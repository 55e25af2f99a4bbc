// The phones of all hosts: read once, then kept up to date by the server's events, which contain only the
// changed rows. Dispatches "rows" on `events`.
import { events, get } from "./api.js";

export const rows = new Map(); // by id
export let engine = ""; // why the rows may be outdated
let received = 0;

function tell(changed) {
  events.dispatchEvent(new CustomEvent("rows", { detail: changed }));
}

export async function read(signal) {
  let receivedBefore, reply;
  do {
    receivedBefore = received; // an event received meanwhile may be newer than the reply
    reply = await get("fleet", signal);
  } while (receivedBefore !== received);
  const changed = new Set([...rows.keys(), ...reply.rows.map((row) => row.id)]);
  rows.clear();
  for (const row of reply.rows) rows.set(row.id, row);
  engine = reply.engine;
  tell(changed);
}

events.addEventListener("phones", ({ detail }) => {
  received += 1;
  const changed = new Set();
  // An event may be older than the list, so each row has the number of its change.
  for (const row of detail.rows) {
    if ((rows.get(row.id)?.change ?? -1) >= row.change) continue;
    rows.set(row.id, row);
    changed.add(row.id);
  }
  for (const id of detail.gone) {
    if ((rows.get(id)?.change ?? Infinity) > detail.change) continue;
    rows.delete(id);
    changed.add(id);
  }
  engine = detail.engine;
  tell(changed);
});
events.addEventListener("hello", () => read().catch(() => { /* the next hello reads again */ }));

// By host, then by name; numbers sort by value.
const names = new Intl.Collator("en", { numeric: true });
export const inOrder = (one, other) => names.compare(one.host, other.host) || names.compare(one.name, other.name) || (one.id < other.id ? -1 : 1);
