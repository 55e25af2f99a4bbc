// The calls of all hosts whose records the engine has copied.
import { el, get } from "./api.js";
import { problem } from "./components.js";
import { callCells, callDetails } from "./calls.js";
import { inOrder, read, rows } from "./fleet.js";
import { describeCall } from "./format.js";
import { sleep, visible } from "./frames.js";

const EVERY_MS = 5000;
const BATCH = 200, MOST = 1000;
const FILTERS = ["host", "phone", "tool", "token"];

// Read calls repeatedly while the page is visible; `asked` builds the query.
export async function poll(asked, show, failed, signal) {
  while (!signal.aborted) {
    try {
      const query = asked();
      const reply = await get(`calls?${query}`, signal);
      if (String(asked()) === String(query)) show(reply);
    } catch (failure) {
      if (signal.aborted) return;
      failed(failure.message);
    }
    await sleep(EVERY_MS, signal);
    await visible(signal);
  }
}

export async function open(main) {
  const controller = new AbortController();
  const { signal } = controller;
  await read(signal);
  const given = new URLSearchParams(location.hash.split("?")[1] ?? "");
  const hosts = [...new Set([...rows.values()].sort(inOrder).map((row) => row.host))];
  const chosen = given.get("host") ?? "";
  const host = el("select", { "aria-label": "Host" }, el("option", { value: "" }, "Any host"),
    ...[...new Set([...hosts, ...(chosen ? [chosen] : [])])].map((name) => el("option", { value: name, selected: name === chosen }, name)));
  const field = (label, hint, name) => el("input", { placeholder: label, "aria-label": hint, value: given.get(name) });
  const phone = field("Phone", "Phone, by slug or serial", "phone"), tool = field("Tool", "Tool, full name", "tool"), token = field("Token", "Token, full name", "token");
  const fields = { host, phone, tool, token };
  const count = el("span", { class: "soft", role: "status" });
  const list = el("ol", { class: "calls", "aria-label": "Calls, latest first" });
  const more = el("button", { type: "button", hidden: true, onclick: () => { limit = MOST; again(); } }, "Show older calls");
  const scroll = el("div", { class: "scroll", tabindex: "-1" }, list, more);
  const detail = el("section", { class: "card detail", "aria-label": "Call details", tabindex: "-1" },
    el("p", { class: "soft" }, "Select a call to see its details. Its pictures are in the console of its host."));
  main.append(
    el("div", { class: "row tools" }, el("h2", {}, "Timeline"), host, phone, tool, token, count),
    el("div", { class: "split" }, scroll, detail));

  let limit = BATCH, selected = null, shown = "";
  function asked() {
    const query = new URLSearchParams({ limit });
    for (const name of FILTERS) if (fields[name].value.trim()) query.set(name, fields[name].value.trim());
    return query;
  }
  function select(call) {
    selected = call.key;
    for (const item of list.children) {
      if (item.dataset.key === selected) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
    detail.replaceChildren(...callDetails(call));
  }
  function show(reply) {
    count.textContent = `${reply.calls.length}${reply.more ? " or more" : ""} ${reply.calls.length === 1 ? "call" : "calls"}`;
    more.hidden = !reply.more || limit === MOST;
    const summary = JSON.stringify(reply.calls.map((call) => [call.key, call.state]));
    if (summary === shown) return;
    shown = summary;
    const focused = list.contains(document.activeElement) ? document.activeElement.closest("li").dataset.key : null;
    list.replaceChildren(...reply.calls.toReversed().map((call) => el("li", { class: `call ${call.state}`, "data-key": call.key, "aria-current": call.key === selected ? "true" : null },
      el("a", { href: "#/timeline", onclick: (event) => {
        event.preventDefault();
        select(call);
        detail.scrollIntoView({ block: "nearest" });
      } }, ...callCells(call, [[call.host, call.phone].filter(Boolean).join(" · "), call.note || call.result.join(" ").slice(0, 300)].filter(Boolean).join(": "))))));
    if (!reply.calls.length) list.append(el("li", { class: "soft empty" }, asked().size > 1 ? "No matching calls." : "No calls yet. Calls appear here once their host has copied them."));
    if (focused) [...list.children].find((item) => item.dataset.key === focused)?.querySelector("a").focus({ preventScroll: true });
    const current = reply.calls.find((call) => call.key === selected);
    if (current) detail.replaceChildren(...callDetails(current));
  }
  let round = null;
  function again() {
    round?.abort();
    round = new AbortController();
    const kept = asked();
    kept.delete("limit");
    history.replaceState(null, "", `#/timeline${kept.size ? `?${kept}` : ""}`);
    poll(asked, show, (message) => {
      shown = "";
      list.replaceChildren(el("li", { class: "empty" }, problem(message)));
    }, AbortSignal.any([signal, round.signal]));
  }
  for (const control of Object.values(fields)) control.addEventListener("change", again);
  again();
  return () => controller.abort();
}

// The last few calls on a phone.
export function latestCalls(id, signal) {
  const list = el("ol", { class: "latest", "aria-label": "Latest calls" });
  const note = (text) => list.replaceChildren(el("li", { class: "soft empty" }, text));
  const row = rows.get(id);
  poll(() => new URLSearchParams({ limit: 12, host: id.split(".")[0], phone: row.name }), ({ calls }) => {
    if (!calls.length) note("No calls yet. Calls appear here once the host has copied them.");
    else list.replaceChildren(...calls.toReversed().map((call) => el("li", { class: `call ${call.state}` }, ...describeCall(call))));
  }, note, signal);
  return list;
}
