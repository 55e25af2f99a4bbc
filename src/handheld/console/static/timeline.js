// The record of calls, updated as they happen.
import { announce, draw, el, events, fetchRaw, get } from "./api.js";
import { callCells, callDetails } from "./calls.js";
import { stateLabel } from "./format.js";

const BATCH = 300;
const MOST_MISSED = 1000;
const MOST_ROWS = 3000; // in the page; older ones are fetched again
const STATES = ["running", "done", "failed", "denied", "unknown"];

// The selected call and the filters, kept in the URL: a reload restores them.
function place() {
  const [path, query = ""] = location.hash.split("?");
  const id = Number(path.split("/")[2] ?? "") || null;
  return { id, asked: new URLSearchParams(query) };
}

export async function open(main) {
  const controller = new AbortController();
  const { signal } = controller;
  const initial = place();
  let selected = initial.id;
  const rows = new Map(); // by id: the call, and its element
  let oldest = null, complete = false, loading = null, dropped = 0;

  const text = el("input", { type: "search", placeholder: "Search", "aria-label": "Search in calls", value: initial.asked.get("text") });
  const state = el("select", { "aria-label": "State" }, el("option", { value: "" }, "Any state"),
    ...STATES.map((name) => el("option", { value: name, selected: initial.asked.get("state") === name }, stateLabel(name))));
  const tool = el("input", { placeholder: "Tool", "aria-label": "Tool, full name", list: "tools", value: initial.asked.get("tool") });
  const phone = el("input", { placeholder: "Phone", "aria-label": "Phone, by slug or serial", list: "known", value: initial.asked.get("phone") });
  const tools = el("datalist", { id: "tools" }), known = el("datalist", { id: "known" });
  const list = el("ol", { class: "calls", "aria-label": "Calls, latest first" });
  const scroll = el("div", { class: "scroll", tabindex: "-1" }, list);
  const detail = el("section", { class: "card detail", "aria-label": "Call details", tabindex: "-1" });
  const count = el("span", { class: "soft", role: "status" });
  const save = (form, label) => el("button", { type: "button", onclick: () => download(form) }, label);

  main.append(
    el("div", { class: "row tools" }, el("h2", {}, "Timeline"), text, state, tool, phone, tools, known,
      save("jsonl", "Export JSONL"), save("pytest", "Export pytest"), count),
    el("div", { class: "split" }, scroll, detail));

  const filter = () => {
    const asked = new URLSearchParams();
    for (const [key, field] of Object.entries({ text, state, tool, phone })) if (field.value.trim()) asked.set(key, field.value.trim());
    return asked;
  };
  function remember() {
    const asked = filter().toString();
    history.replaceState(null, "", `#/timeline${selected ? `/${selected}` : ""}${asked ? `?${asked}` : ""}`);
  }

  // Rows.
  function callRow(call) {
    const link = el("a", { href: `#/timeline/${call.id}`, onclick: (event) => {
      event.preventDefault();
      select(call.id);
      detail.scrollIntoView({ block: "nearest" });
    } }, ...callCells(call, call.note || call.result.join(" ")));
    return el("li", { class: `call ${call.state}`, "data-id": call.id, "aria-current": call.id === selected ? "true" : null }, link);
  }
  const seenTools = new Set(), seenPhones = new Set();
  function suggest(call) {
    if (!seenTools.has(call.tool)) { seenTools.add(call.tool); tools.append(el("option", { value: call.tool })); }
    if (call.phone && !seenPhones.has(call.phone)) { seenPhones.add(call.phone); known.append(el("option", { value: call.phone })); }
  }
  function put(call, fragment) {
    suggest(call);
    const old = rows.get(call.id);
    const element = callRow(call);
    rows.set(call.id, { call, element });
    if (old) {
      const focused = old.element.contains(document.activeElement);
      old.element.replaceWith(element);
      if (focused) element.querySelector("a").focus({ preventScroll: true });
    }
    else if (fragment) fragment.append(element);
    else {
      // A late update of an older call must not appear above newer calls.
      let next = list.firstElementChild;
      while (next && Number(next.dataset.id) > call.id) next = next.nextElementSibling;
      list.insertBefore(element, next);
    }
  }
  function drop(id) {
    rows.get(id)?.element.remove();
    rows.delete(id);
  }
  function trim() {
    // A person who has scrolled far down keeps the rows there.
    if (scroll.scrollTop > 2 * scroll.clientHeight && rows.size < 3 * MOST_ROWS) return;
    while (list.children.length > MOST_ROWS) {
      drop(Number(list.lastElementChild.dataset.id));
      oldest = Number(list.lastElementChild.dataset.id);
      complete = false;
    }
  }
  function showCount() {
    count.textContent = `${rows.size}${complete ? "" : " or more"} ${rows.size === 1 ? "call" : "calls"}${dropped ? `, ${dropped} no longer kept` : ""}`;
    if (!rows.size && !list.children.length) list.append(el("li", { class: "soft empty" }, filter().size ? "No matching calls." : "No calls yet. Calls appear here as they happen."));
  }

  async function older(fresh = false) {
    if (complete || loading) return loading;
    loading = (async () => {
      const asked = filter();
      asked.set("limit", BATCH);
      if (oldest !== null) asked.set("before", oldest);
      const { calls, dropped: gone } = await get(`calls?${asked}`, signal);
      dropped = gone;
      if (fresh) {
        rows.clear();
        list.replaceChildren();
        scroll.scrollTop = 0;
      }
      const fragment = document.createDocumentFragment();
      for (const call of calls.reverse()) put(call, fragment);
      list.append(fragment);
      complete = calls.length < BATCH;
      if (calls.length) oldest = calls[calls.length - 1].id;
      showCount();
    })();
    try {
      await loading;
    } finally {
      loading = null;
    }
  }
  let turn = 0;
  async function reload() {
    const current = ++turn;
    await loading?.catch(() => {});
    if (current !== turn) return;
    oldest = null;
    complete = false;
    remember();
    try {
      await older(true);
    } catch (problem) {
      if (signal.aborted) return;
      rows.clear();
      list.replaceChildren(el("li", { class: "problem" }, problem.message));
      count.textContent = "";
    }
  }
  let typing = null;
  for (const field of [text, state, tool, phone]) {
    field.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(reload, 250);
    });
  }
  scroll.addEventListener("scroll", () => {
    if (scroll.scrollTop + scroll.clientHeight > scroll.scrollHeight - 800) older().catch(() => {});
  });

  // New calls and changes. Many at once are drawn together.
  const waiting = new Map();
  let drawing = false, arrived = 0, announcing = null;
  events.addEventListener("call", ({ detail: call }) => {
    waiting.set(call.id, call);
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(showWaiting);
    if (document.hidden) setTimeout(() => drawing && showWaiting(), 1000);
  }, { signal });
  async function showWaiting() {
    drawing = false;
    await loading?.catch(() => {}); // or the list would be redrawn without them
    const calls = [...waiting.values()];
    waiting.clear();
    const asked = filter();
    let fit = calls;
    if (asked.size && calls.length) {
      const ids = calls.map((call) => call.id);
      asked.set("after", Math.min(...ids) - 1);
      asked.set("before", Math.max(...ids) + 1);
      asked.set("limit", 1000);
      try {
        const found = new Set((await get(`calls?${asked}`, signal)).calls.map((call) => call.id));
        fit = calls.filter((call) => found.has(call.id));
        for (const { id } of calls) if (!found.has(id)) drop(id);
      } catch {
        return;
      }
    }
    list.querySelector(".empty")?.remove();
    const height = scroll.scrollHeight;
    for (const call of fit) {
      if (oldest !== null && call.id < oldest && !rows.has(call.id)) continue;
      if (!rows.has(call.id)) arrived += 1;
      put(call);
      if (call.id === selected) show(call.id);
    }
    // Keep the scroll position of a person who reads further down.
    if (scroll.scrollTop > 0) scroll.scrollTop += scroll.scrollHeight - height;
    trim();
    showCount();
    announcing ??= setTimeout(() => {
      if (arrived) announce(`${arrived} new ${arrived === 1 ? "call" : "calls"}`);
      arrived = 0;
      announcing = null;
    }, 2000);
  }
  // Calls that no event reported, after a lost connection or from another process: newer calls, and
  // the outcome of those that were running.
  async function fetchMissed() {
    const asked = filter();
    await loading?.catch(() => {});
    const ran = [...rows.values()].filter(({ call }) => call.state === "running").map(({ call }) => call.id - 1);
    asked.set("after", Math.max(0, Math.min(Math.max(0, ...rows.keys()), ...ran)));
    asked.set("limit", MOST_MISSED);
    try {
      const { calls } = await get(`calls?${asked}`, signal);
      if (calls.length === MOST_MISSED || state.value) return await reload();
      for (const call of calls) waiting.set(call.id, call);
      await showWaiting();
    } catch { /* the next hello fetches again */ }
  }
  for (const kind of ["hello", "others"]) events.addEventListener(kind, fetchMissed, { signal });

  // One call.
  function select(id, focus = false) {
    rows.get(selected)?.element.removeAttribute("aria-current");
    selected = id;
    const chosen = rows.get(id)?.element;
    chosen?.setAttribute("aria-current", "true");
    chosen?.scrollIntoView({ block: "nearest" });
    if (focus) chosen?.querySelector("a").focus({ preventScroll: true });
    remember();
    show(id);
  }
  let shown = null;
  async function show(id) {
    shown?.abort();
    shown = new AbortController();
    signal.addEventListener("abort", () => shown.abort(), { once: true });
    const current = shown.signal;
    let call;
    try {
      call = await get(`calls/${id}`, current);
    } catch (problem) {
      if (!current.aborted) detail.replaceChildren(el("p", { class: "problem" }, problem.message));
      return;
    }
    if (current.aborted) return;
    const pictures = el("div", { class: "pictures" });
    detail.replaceChildren(...callDetails(call, pictures));
    for (const which of ["before", "after"]) {
      if (!call[which]) continue;
      const canvas = el("canvas", { role: "img", "aria-label": `The screen ${which}` });
      pictures.append(el("figure", {}, canvas, el("figcaption", {}, which === "before" ? "Before" : "After")));
      draw(canvas, `calls/${id}/${which}`, current).catch(() => {});
    }
    // The picture after an action is taken once the screen is idle.
    if (!call.after && call.state !== "running" && Date.now() / 1000 - call.at < 3) setTimeout(() => current.aborted || show(id), 1200);
  }

  // Keys: j and k move, Enter opens the details, / focuses the search, Escape returns to the list.
  function step(by) {
    const ids = [...list.children].map((item) => Number(item.dataset.id)).filter(Boolean);
    if (!ids.length) return;
    const at = ids.indexOf(selected);
    const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), ids.length - 1);
    select(ids[next], true);
    if (next > ids.length - 20) older().catch(() => {});
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typingNow = event.target.closest("input, select, textarea");
    if (event.key === "Escape") (rows.get(selected)?.element.querySelector("a") ?? scroll).focus();
    else if (typingNow || (event.key.startsWith("Arrow") && detail.contains(event.target))) return;
    else if (event.key === "j" || event.key === "ArrowDown") step(1);
    else if (event.key === "k" || event.key === "ArrowUp") step(-1);
    else if (event.key === "/") text.focus();
    else if (event.key === "Enter" && event.target.closest(".calls")) {
      const id = Number(event.target.closest("li").dataset.id);
      select(id);
      detail.focus();
    } else return;
    event.preventDefault();
  }, { signal });

  async function download(form) {
    try {
      const answer = await fetchRaw(`export/${form}?${filter()}`, signal);
      const url = URL.createObjectURL(await answer.blob());
      el("a", { href: url, download: form === "pytest" ? "test_recorded.py" : "calls.jsonl" }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    } catch (problem) {
      count.textContent = problem.message;
    }
  }

  await reload();
  if (selected) {
    // The call may be older than the rows in the list: load more, within limits.
    for (let tries = 0; tries < 10 && !rows.has(selected) && !complete; tries += 1) await older();
    select(selected);
  } else {
    detail.append(el("p", { class: "soft" }, "Select a call to see its details. Press j or k to move, Enter for the details, / to search."));
  }
  return () => controller.abort();
}
