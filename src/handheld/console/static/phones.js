// The phones of all hosts: a grid, or one of them.
import { el, events, post } from "./api.js";
import { plain, problem } from "./components.js";
import { leaseButton, leaseWords, stopButton } from "./controls.js";
import { engine, inOrder, read, rows } from "./fleet.js";
import { clock } from "./format.js";
import { latestCalls } from "./fleet_timeline.js";
import { follow, pane } from "./frames.js";

const STATES = { free: ["Free", "good"], leased: ["Leased", "info"], stopped: ["Held back", "warn"], away: ["Away", "bad"] };
const GRID = { size: 320, rate: () => 0.5, wait: 1 };
const KEPT = ["text", "host", "tag", "state"];

const stateTag = (row) => {
  const [label, kind] = STATES[row.state] ?? [row.state, ""];
  return el("span", { class: `tag ${kind}` }, plain(label));
};

function engineNotice(signal) {
  const holder = el("div", { role: "status" });
  const draw = () => holder.replaceChildren(...(engine ? [problem(engine)] : []));
  events.addEventListener("rows", draw, { signal });
  draw();
  return holder;
}

export async function open(main) {
  const controller = new AbortController();
  const { signal } = controller;
  await read(signal);
  const id = location.hash.split("?")[0].split("/")[2];
  if (id) openPhone(main, id, signal);
  else openGrid(main, signal);
  return () => controller.abort();
}

function openGrid(main, signal) {
  const asked = new URLSearchParams(location.hash.split("?")[1] ?? "");
  const text = el("input", { type: "search", placeholder: "Search", "aria-label": "Search in name, serial, host, model, tags and holder", value: asked.get("text") });
  const choice = (label, any) => el("select", { "aria-label": label, "data-any": any });
  const host = choice("Host", "Any host"), tag = choice("Tag", "Any tag"), state = choice("State", "Any state");
  const fields = { text, host, tag, state };
  const pictures = el("input", { type: "checkbox", checked: asked.get("pictures") !== "off" });
  const count = el("span", { class: "soft", role: "status" });
  const grid = el("ul", { class: "phones fleet" });
  const none = el("p", { class: "notice", hidden: true });
  main.append(
    el("div", { class: "row tools" }, el("h2", {}, "Phones"), text, host, tag, state, el("label", {}, pictures, "Pictures"), count),
    engineNotice(signal), none, grid);

  const cards = new Map(); // by id
  // Only pictures in view are requested.
  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) cards.get(target.dataset.id)?.look(isIntersecting);
  }, { rootMargin: "100px" });
  signal.addEventListener("abort", () => sight.disconnect());

  function options(select, values, words = (value) => value) {
    const chosen = select.options.length ? select.value : asked.get(KEPT.find((name) => fields[name] === select)) ?? "";
    const wanted = ["", ...values];
    if (chosen && !wanted.includes(chosen)) wanted.push(chosen);
    if (JSON.stringify(wanted) === select.dataset.options) return;
    select.dataset.options = JSON.stringify(wanted);
    select.replaceChildren(...wanted.map((value) => el("option", { value, selected: value === chosen }, value ? words(value) : select.dataset.any)));
  }

  function fits(row) {
    const sought = text.value.trim().toLowerCase().split(/\s+/);
    const own = [row.name, row.serial, row.host, row.model, ...row.tags, row.lease?.who ?? ""].join("\n").toLowerCase();
    return sought.every((word) => own.includes(word))
      && (!host.value || row.host === host.value)
      && (!tag.value || row.tags.includes(tag.value))
      && (!state.value || row.state === state.value);
  }

  function filter() {
    let shown = 0;
    for (const card of cards.values()) {
      const fit = fits(card.row);
      card.element.hidden = !fit;
      if (fit) shown += 1;
    }
    count.textContent = shown === cards.size ? `${shown} ${shown === 1 ? "phone" : "phones"}` : `${shown} of ${cards.size} phones`;
    none.hidden = shown > 0 || Boolean(engine);
    none.textContent = cards.size ? "No matching phones." : "No host offers a phone. On a computer with phones, run: handheld host";
    const kept = new URLSearchParams(KEPT.filter((name) => fields[name].value.trim()).map((name) => [name, fields[name].value.trim()]));
    if (!pictures.checked) kept.set("pictures", "off");
    const place = `#/phones${kept.size ? `?${kept}` : ""}`;
    if (location.hash !== place) history.replaceState(null, "", place);
  }

  function update(changed) {
    const sorted = [...rows.values()].sort(inOrder);
    let moved = false;
    for (const id of changed) {
      const row = rows.get(id), card = cards.get(id);
      if (!row) {
        card?.close();
        cards.delete(id);
      } else if (card) {
        moved ||= card.row.name !== row.name || card.row.host !== row.host;
        card.draw(row);
      } else {
        cards.set(id, phoneCard(row, sight, () => pictures.checked, signal));
        moved = true;
      }
    }
    if (moved) grid.replaceChildren(...sorted.map(({ id }) => cards.get(id).element));
    const values = (each) => [...new Set(sorted.flatMap(each))].sort(new Intl.Collator("en", { numeric: true }).compare);
    options(host, values((row) => row.host));
    options(tag, values((row) => row.tags));
    options(state, [...new Set([...Object.keys(STATES), ...sorted.map((row) => row.state)])], (value) => STATES[value]?.[0] ?? value);
    filter();
  }

  for (const field of Object.values(fields)) field.addEventListener("input", filter);
  pictures.addEventListener("change", () => {
    grid.classList.toggle("bare", !pictures.checked);
    for (const card of cards.values()) card.look();
    filter();
  });
  grid.classList.toggle("bare", !pictures.checked);
  events.addEventListener("rows", ({ detail }) => update(detail), { signal });
  update(rows.keys());
}

const shortly = (lease) => lease.state === "held" ? `until ${clock(lease.until).slice(0, 5)}` : lease.state === "pending" ? "being taken" : "ending";

// A phone in the grid. Its picture exists only while it is in view.
function phoneCard(first, sight, wanted, signal) {
  const screen = el("div", { class: "screen" }), name = el("h3", {}), facts = el("p", { class: "soft facts" });
  const held = el("p", { class: "facts" }), until = el("p", { class: "soft facts" }), state = el("span", { class: "is" });
  const element = el("li", { class: "card", "data-id": first.id },
    el("a", { href: `#/phones/${first.id}` }, screen, el("div", { class: "row head" }, name, state)), facts, held, until);
  let looking = null, inView = false;
  const card = {
    element, row: first,
    draw(row) {
      const before = card.row;
      card.row = row;
      name.replaceChildren(plain(row.name));
      state.replaceChildren(stateTag(row));
      facts.replaceChildren(plain([row.host, row.model].filter(Boolean).join(" · ")));
      held.replaceChildren(...(row.lease ? [plain(row.lease.who)] : []));
      held.title = row.lease ? leaseWords(row.lease) : "";
      until.textContent = row.lease ? shortly(row.lease) : "";
      held.hidden = until.hidden = !row.lease;
      if ((before.state === "away") !== (row.state === "away")) card.look();
    },
    look(seen = inView) {
      inView = seen;
      looking?.abort();
      looking = null;
      screen.replaceChildren();
      if (!inView || !wanted()) return;
      const canvas = el("canvas", { role: "img", "aria-label": `The screen of ${card.row.name}`, width: 144, height: 320 });
      const [glass, cover] = pane("", canvas);
      screen.append(glass);
      if (card.row.state === "away") return cover("Away", true);
      looking = new AbortController();
      follow(card.row.id, canvas, { ...GRID, seen: () => cover("", false), failed: (message) => cover(message, true) }, AbortSignal.any([signal, looking.signal]));
    },
    close() {
      looking?.abort();
      sight.unobserve(element);
      element.remove();
    },
  };
  card.draw(first);
  sight.observe(element);
  return card;
}

const timelineOf = (row) => `#/timeline?${new URLSearchParams({ host: row.host, phone: row.name })}`;

// One phone: its picture, who has it, and taking it over.
function openPhone(main, id, signal) {
  const canvas = el("canvas", { role: "img", width: 360, height: 800 });
  const [glass, cover] = pane("live watched", canvas);
  const name = el("h2", {}), state = el("span", {}), facts = el("dl", {});
  const rates = el("select", {},
    ...[1, 2, 5].map((each) => el("option", { value: each, selected: each === 2 }, `${each} per second`)));
  const order = async (what) => {
    await post(`phones/${id}/${what}`);
    await read(signal);
  };
  const lease = leaseButton(() => rows.get(id)?.lease, () => order("lease/end"), "rows", signal);
  const stop = stopButton("Stop agents", () => rows.get(id)?.state === "stopped" ? "Agents are held back." : "",
    (on) => order(on ? "stop" : "resume"), "rows", signal);
  main.append(engineNotice(signal), el("div", { class: "single" },
    el("div", { class: "left" },
      el("div", { class: "row" }, el("a", { href: "#/phones" }, "All phones"), name, state),
      lease, stop, glass),
    el("div", { class: "stack" },
      el("section", { class: "card stack", "aria-label": "Phone" }, facts, el("label", {}, "Frame rate, at most", rates)),
      rows.has(id) && el("section", { class: "card", "aria-label": "Latest calls" },
        el("div", { class: "row" }, el("h3", {}, "Latest calls"), el("a", { href: timelineOf(rows.get(id)) }, "Timeline")), latestCalls(id, signal)))));

  let looking = null;
  function draw() {
    const row = rows.get(id);
    const present = row && row.state !== "away";
    name.replaceChildren(plain(row?.name ?? "This phone"));
    state.replaceChildren(...(row ? [stateTag(row)] : []));
    const told = row ? [["Host", row.host], ["Model", row.model], ["API level", row.api || ""], ["Serial", row.serial], ["Tags", row.tags.join(", ")]] : [];
    facts.replaceChildren(...told.filter(([, value]) => value).flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, plain(String(value)))]));
    canvas.setAttribute("aria-label", `The screen of ${row?.name ?? "a phone"}`);
    stop.hidden = !present;
    if (!present) {
      looking?.abort();
      looking = null;
      cover(row ? "Its host is away." : "No host has this phone now.", true);
    } else if (!looking) {
      looking = new AbortController();
      follow(id, canvas, {
        size: 1200, wait: 5000, rate: () => Number(rates.value),
        seen: (frame) => cover(frame.secure.length ? `Secure windows appear black: ${frame.secure.join(", ")}` : "", false),
        failed: (message) => cover(message, true),
      }, AbortSignal.any([signal, looking.signal]));
    }
  }
  events.addEventListener("rows", draw, { signal });
  draw();
}
