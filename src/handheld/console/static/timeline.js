// Every call, as it happens and as it was.
import { draw, el, events, fetchRaw, get, say } from "./api.js";
import { foreign, plain } from "./parts.js";
import { brief, clock, day, duration, meant, moment, stateWord, who } from "./words.js";

const BATCH = 300;
const MOST_MISSED = 1000;
const MOST_ROWS = 3000; // in the page; older ones are asked for again
const STATES = ["running", "done", "failed", "denied", "unknown"];

// Where the person is stands in the address, so that a reload comes back to it.
function place() {
  const [path, query = ""] = location.hash.split("?");
  const id = Number(path.split("/")[2] ?? "") || null;
  return { id, asked: new URLSearchParams(query) };
}

export async function open(main) {
  const ending = new AbortController();
  const { signal } = ending;
  const began = place();
  let selected = began.id;
  const rows = new Map(); // by id: the call, and its element
  let oldest = null, whole = false, loading = null;

  const text = el("input", { type: "search", placeholder: "Search", "aria-label": "Search in calls", value: began.asked.get("text") });
  const state = el("select", { "aria-label": "State" }, el("option", { value: "" }, "Every state"),
    ...STATES.map((one) => el("option", { value: one, selected: began.asked.get("state") === one }, stateWord(one))));
  const tool = el("input", { placeholder: "Tool", "aria-label": "Tool, by its whole name", list: "tools", value: began.asked.get("tool") });
  const phone = el("input", { placeholder: "Phone", "aria-label": "Phone, by slug or serial", list: "known", value: began.asked.get("phone") });
  const tools = el("datalist", { id: "tools" }), known = el("datalist", { id: "known" });
  const list = el("ol", { class: "calls", "aria-label": "Calls, the latest first" });
  const scroll = el("div", { class: "scroll", tabindex: "-1" }, list);
  const detail = el("section", { class: "card detail", "aria-label": "The call", tabindex: "-1" });
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
  function line(call) {
    const said = call.note || call.result.join(" ");
    const link = el("a", { href: `#/timeline/${call.id}`, onclick: (event) => {
      event.preventDefault();
      select(call.id);
      detail.scrollIntoView({ block: "nearest" });
    } },
      el("span", { class: "time mono" }, moment(call.at)),
      el("span", { class: call.person ? "who person" : "who" }, foreign(who(call))),
      el("span", { class: "tool" }, foreign(call.tool)),
      el("span", { class: "args mono" }, foreign(brief(call).slice(0, 300))),
      el("span", { class: `state ${call.state}` }, stateWord(call.state)),
      el("span", { class: "took mono" }, duration(call.milliseconds)),
      said ? el("span", { class: "said" }, foreign(said)) : null);
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
    const element = line(call);
    rows.set(call.id, { call, element });
    if (old) {
      const focused = old.element.contains(document.activeElement);
      old.element.replaceWith(element);
      if (focused) element.querySelector("a").focus({ preventScroll: true });
    }
    else if (fragment) fragment.append(element);
    else {
      // Late news of an older call must not stand above newer ones.
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
    // Whoever reads far down keeps what is there.
    if (scroll.scrollTop > 2 * scroll.clientHeight && rows.size < 3 * MOST_ROWS) return;
    while (list.children.length > MOST_ROWS) {
      drop(Number(list.lastElementChild.dataset.id));
      oldest = Number(list.lastElementChild.dataset.id);
      whole = false;
    }
  }
  function tally() {
    count.textContent = `${rows.size}${whole ? "" : " or more"} ${rows.size === 1 ? "call" : "calls"}`;
    if (!rows.size && !list.children.length) list.append(el("li", { class: "soft empty" }, filter().size ? "No call fits." : "No calls yet. What agents and you do on the phones appears here as it happens."));
  }

  async function older(fresh = false) {
    if (whole || loading) return loading;
    loading = (async () => {
      const asked = filter();
      asked.set("limit", BATCH);
      if (oldest !== null) asked.set("before", oldest);
      const { calls } = await get(`calls?${asked}`, signal);
      if (fresh) {
        rows.clear();
        list.replaceChildren();
        scroll.scrollTop = 0;
      }
      const fragment = document.createDocumentFragment();
      for (const call of calls.reverse()) put(call, fragment);
      list.append(fragment);
      whole = calls.length < BATCH;
      if (calls.length) oldest = calls[calls.length - 1].id;
      tally();
    })();
    try {
      await loading;
    } finally {
      loading = null;
    }
  }
  let turn = 0;
  async function reload() {
    const mine = ++turn;
    await loading?.catch(() => {});
    if (mine !== turn) return;
    oldest = null;
    whole = false;
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

  // As it happens. Many at once are drawn together.
  const waiting = new Map();
  let drawing = false, told = 0, telling = null;
  events.addEventListener("call", ({ detail: call }) => {
    waiting.set(call.id, call);
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(arrive);
    if (document.hidden) setTimeout(() => drawing && arrive(), 1000);
  }, { signal });
  async function arrive() {
    drawing = false;
    await loading?.catch(() => {}); // or the list would be drawn anew without them
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
      if (!rows.has(call.id)) told += 1;
      put(call);
      if (call.id === selected) show(call.id);
    }
    // Whoever reads further down stays at what they read.
    if (scroll.scrollTop > 0) scroll.scrollTop += scroll.scrollHeight - height;
    trim();
    tally();
    telling ??= setTimeout(() => {
      if (told) say(`${told} new ${told === 1 ? "call" : "calls"}`);
      told = 0;
      telling = null;
    }, 2000);
  }
  // What was not heard of, after a break or because another process made it: newer calls, and what
  // has become of those that ran.
  async function missed() {
    const asked = filter();
    await loading?.catch(() => {});
    const ran = [...rows.values()].filter(({ call }) => call.state === "running").map(({ call }) => call.id - 1);
    asked.set("after", Math.max(0, Math.min(Math.max(0, ...rows.keys()), ...ran)));
    asked.set("limit", MOST_MISSED);
    try {
      const { calls } = await get(`calls?${asked}`, signal);
      if (calls.length === MOST_MISSED || state.value) return await reload();
      for (const call of calls) waiting.set(call.id, call);
      await arrive();
    } catch { /* the next hello tells */ }
  }
  for (const kind of ["hello", "others"]) events.addEventListener(kind, missed, { signal });

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
    const mine = shown.signal;
    let call;
    try {
      call = await get(`calls/${id}`, mine);
    } catch (problem) {
      if (!mine.aborted) detail.replaceChildren(el("p", { class: "problem" }, problem.message));
      return;
    }
    if (mine.aborted) return;
    const pictures = el("div", { class: "pictures" });
    const fact = (name, value) => value ? [el("dt", {}, name), el("dd", {}, plain(value))] : [];
    detail.replaceChildren(
      el("div", { class: "row" }, el("h3", {}, plain(call.tool)), el("span", { class: `state ${call.state}` }, stateWord(call.state)), el("span", { class: "soft mono" }, `#${call.id}`)),
      call.note ? el("p", { class: "notice" }, plain(call.note)) : "",
      el("dl", {},
        ...fact("Who", `${who(call)}${call.person ? ` (${call.client})` : ""}`), ...fact("Token", call.token), ...fact("By", call.door),
        ...fact("Phone", call.phone), ...fact("When", `${day(call.at)} ${clock(call.at)}`), ...fact("Took", duration(call.milliseconds))),
      pictures,
      el("h3", {}, "Arguments"), Object.keys(call.arguments).length ? el("pre", { tabindex: "0" }, plain(JSON.stringify(call.arguments, null, 2))) : el("p", { class: "soft" }, "None"),
      ...stoodFor(call),
      el("h3", {}, call.state === "failed" || call.state === "denied" ? "Why not" : "Result"),
      ...(call.result.length ? call.result.map((one) => el("pre", { tabindex: "0", class: call.state === "failed" || call.state === "denied" ? "bad" : null }, plain(one))) : [el("p", { class: "soft" }, call.state === "running" ? "It runs." : "None")]));
    for (const which of ["before", "after"]) {
      if (!call[which]) continue;
      const canvas = el("canvas", { role: "img", "aria-label": `The screen ${which}` });
      pictures.append(el("figure", {}, canvas, el("figcaption", {}, which === "before" ? "Before" : "After")));
      draw(canvas, `calls/${id}/${which}`, mine).catch(() => {});
    }
    // The picture after an action is taken once the screen has come to rest.
    if (!call.after && call.state !== "running" && Date.now() / 1000 - call.at < 3) setTimeout(() => mine.aborted || show(id), 1200);
  }
  const stoodFor = (call) => {
    const ids = Object.entries(call.elements ?? {});
    if (!ids.length) return [];
    return [el("h3", {}, ids.length > 1 ? "The elements" : "The element"),
      el("dl", {}, ...ids.flatMap(([id, one]) => [el("dt", { class: "mono" }, id), el("dd", {}, plain([meant(one), one.resource_id].filter(Boolean).join(" · ")))]))];
  };

  // Keys: j and k step, Enter goes to the call, / to the search, Escape back to the list.
  function step(by) {
    const ids = [...list.children].map((one) => Number(one.dataset.id)).filter(Boolean);
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
    // The call may be older than what is listed: listed on, as far as it is worth it.
    for (let tries = 0; tries < 10 && !rows.has(selected) && !whole; tries += 1) await older();
    select(selected);
  } else {
    detail.append(el("p", { class: "soft" }, "Choose a call to see it whole. j and k step through them, Enter goes to the call, / to the search."));
  }
  return () => ending.abort();
}
