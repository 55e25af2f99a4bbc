// The last few calls on a phone, as they happen.
import { announce, el, events, get } from "./api.js";
import { describeCall } from "./format.js";

export async function showLatest(list, phone, signal) {
  const names = [phone.serial, phone.slug].filter(Boolean);
  const items = new Map();
  const note = el("li", { class: "soft empty" });
  const show = (call) => {
    if (!names.includes(call.phone)) return;
    const item = el("li", { class: `call ${call.state}` }, el("a", { href: `#/timeline/${call.id}` }, ...describeCall(call)));
    const old = items.get(call.id);
    items.set(call.id, item);
    note.remove();
    if (old) old.replaceWith(item);
    else {
      // The list and the events arrive in any order.
      const ids = [...items.keys()].sort((a, b) => b - a);
      list.insertBefore(item, items.get(ids[ids.indexOf(call.id) + 1]) ?? null);
      for (const gone of ids.slice(12)) {
        items.get(gone).remove();
        items.delete(gone);
      }
    }
  };
  events.addEventListener("call", ({ detail }) => {
    show(detail);
    if (!detail.person && detail.state === "failed") announce(`${detail.tool} failed`);
  }, { signal });
  async function fetchLatest() {
    try {
      const asked = new URLSearchParams({ limit: 12, phone: phone.slug || phone.serial });
      for (const call of (await get(`calls?${asked}`, signal)).calls) show(call);
      note.textContent = "No calls yet. Calls on this phone appear here as they happen.";
    } catch (problem) {
      if (signal.aborted) return;
      note.textContent = problem.message;
    }
    if (!items.size) list.append(note);
  }
  for (const kind of ["hello", "others"]) events.addEventListener(kind, fetchLatest, { signal });
  await fetchLatest();
}
