// The phone: a grid where there are several, one of them to see and to touch.
import { el, events, fetchRaw, get, paint, post, say } from "./api.js";
import { plain, worded } from "./parts.js";
import { describe } from "./words.js";

const HOW = "As an agent is told of them. Point at one to see its row; click it to copy its id.";
const HOLD_MS = 500; // longer is a long press
const STILL_PX = 10; // further is a swipe
// A browser has six connections to a server, for all its windows: none is held for long, and in a
// grid none at all.
const WAIT_MS = 5000;

function sleep(ms, signal) {
  return new Promise((then) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      then();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

function visible(signal) {
  return new Promise((then) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      then();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

// Keep a canvas as the phone's screen is. Nothing is asked for while the page is hidden.
async function follow(serial, canvas, { size, rate, wait, seen, failed }, signal) {
  let after = "", hidden = new AbortController();
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return;
    hidden.abort();
    hidden = new AbortController();
  }, { signal });
  const path = `phones/${encodeURIComponent(serial)}/frame?size=${size}&within=${wait}`;
  while (!signal.aborted) {
    await visible(signal);
    const began = performance.now();
    try {
      const answer = await fetchRaw(path + after, AbortSignal.any([signal, hidden.signal]));
      const picture = answer.headers.get("content-type").startsWith("image/");
      const told = picture ? JSON.parse(answer.headers.get("x-frame")) : await answer.json();
      if (picture) {
        paint(canvas, await createImageBitmap(await answer.blob()));
        seen(told);
      }
      after = `&after=${told.changes}`;
      await sleep(1000 / rate() - (performance.now() - began), signal);
    } catch (problem) {
      if (signal.aborted) return;
      if (problem.name === "AbortError") continue;
      after = "";
      failed(problem.message);
      await sleep(2000, signal);
    }
  }
}

const title = (phone) => phone.slug || phone.model || phone.serial;

export async function open(main) {
  const ending = new AbortController();
  const { signal } = ending;
  const wanted = decodeURIComponent(location.hash.split("?")[0].split("/")[2] ?? "");
  const phones = await get("phones", signal);
  const one = phones.find((phone) => phone.serial === wanted) ?? (phones.length === 1 ? phones[0] : null);
  const all = el("a", { href: "#/phone", hidden: phones.length < 2 }, "All phones");
  if (one) openOne(main, one, all, signal);
  else openGrid(main, phones, signal);
  again(phones, (now) => {
    all.hidden = now.length < 2;
    // One that is looked at stays, whatever becomes of it, as long as it is known.
    return one && now.some(({ serial }) => serial === one.serial);
  }, signal);
  return () => ending.abort();
}

// Phones come and go: shown anew once there are others, unless what is shown `stays`.
async function again(phones, stays, signal) {
  const sight = (list) => JSON.stringify(list.map((phone) => [phone.serial, phone.usable, phone.words]));
  for (;;) {
    await sleep(4000, signal);
    await visible(signal);
    if (signal.aborted) return;
    const now = await get("phones", signal).catch(() => phones);
    if (!signal.aborted && sight(now) !== sight(phones) && !stays(now)) dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

// The picture, and words over it where it is not what the phone shows now.
function pane(kind, canvas, ...more) {
  const over = el("p", { class: "over", role: "status", hidden: true });
  const glass = el("div", { class: `glass ${kind}` }, canvas, ...more, over);
  return [glass, (words, stale) => {
    glass.classList.toggle("stale", stale);
    over.hidden = !words;
    over.replaceChildren(...worded(words));
  }];
}

function openGrid(main, phones, signal) {
  main.append(el("h2", {}, "Phones"));
  if (!phones.length) {
    main.append(el("p", { class: "notice" },
      "No phone is connected. Plug one in and allow USB debugging on its screen. The ", el("a", { href: "#/doctor" }, "Doctor"), " says what is missing."));
  }
  const grid = el("ul", { class: "phones" });
  main.append(grid);
  for (const phone of phones) {
    const canvas = el("canvas", { role: "img", "aria-label": `The screen of ${title(phone)}`, width: 216, height: 480 });
    const [glass, say] = pane("", canvas);
    grid.append(el("li", { class: "card" },
      el("a", { href: `#/phone/${encodeURIComponent(phone.serial)}` }, el("h3", {}, plain(title(phone))), glass),
      title(phone) !== phone.serial && el("p", { class: "soft mono" }, plain(phone.serial))));
    if (phone.usable) {
      follow(phone.serial, canvas, { size: 480, rate: () => 1, wait: 1, seen: () => say("", false), failed: (words) => say(words, true) }, signal);
    } else say(phone.words, true);
  }
}

function openOne(main, phone, all, signal) {
  const at = `phones/${encodeURIComponent(phone.serial)}`;
  let size = { width: 0, height: 0 };

  const canvas = el("canvas", {
    tabindex: "0", role: "application", width: 360, height: 800,
    "aria-label": `The screen of ${title(phone)}. Keys are typed into the field that has the focus; Escape is back.`,
  });
  const boxes = el("div", { class: "boxes", hidden: true });
  const finger = el("div", { class: "finger", hidden: true });
  const [glass, cover] = pane("live", canvas, boxes, finger);
  const words = el("p", { class: "soft words", role: "status" });
  const notes = el("ul", { class: "notes", hidden: true });

  function tell(message, bad = false) {
    words.textContent = message;
    words.classList.toggle("bad", bad);
  }

  // What a person does, one after the other.
  let last = Promise.resolve();
  function act(tool, args = {}) {
    return run(`${at}/act`, { tool, arguments: args });
  }
  function type(text) {
    const parts = text.match(/[^]{1,1000}/gu) ?? [];
    return Promise.all(parts.map((part) => run(`${at}/type`, { text: part })));
  }
  function run(path, body) {
    last = last.then(async () => {
      try {
        const { said } = await post(path, body, signal);
        tell(said.join(" ").split("\n")[0]);
      } catch (problem) {
        if (!signal.aborted) tell(problem.message, true);
      }
    });
    return last;
  }

  // Before it has been read, a touch waits for it.
  async function sized() {
    if (!size.width) await read();
    if (!size.width) tell("The screen cannot be read now, so nothing was done.", true);
    return size;
  }
  touch(canvas, finger, sized, act);
  keyboard(canvas, act, type);

  // Elements.
  const list = el("ul", { class: "elements" });
  const filter = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the elements" });
  const shown = el("button", { type: "button", "aria-pressed": "false" }, "Show elements");
  const row = el("p", { class: "rowshown" });
  let elements = [];

  async function copy(element) {
    try {
      await navigator.clipboard.writeText(element.id);
      tell(`Copied ${element.id}`);
    } catch {
      tell(`The browser does not let the id be copied: ${element.id}`, true);
    }
  }

  function point(element) {
    row.replaceChildren(element ? plain(rowText(element)) : el("span", { class: "soft" }, HOW));
    for (const marked of glass.querySelectorAll(".box.hot")) marked.classList.remove("hot");
    element?.box?.classList.add("hot");
  }

  function drawElements() {
    const sought = filter.value.toLowerCase();
    const fit = elements.filter((one) => rowText(one).toLowerCase().includes(sought));
    const focused = list.contains(document.activeElement) ? document.activeElement : null;
    const place = focused && [...list.children].indexOf(focused.closest("li"));
    const drawn = [], listed = [];
    for (const one of fit) {
      const hover = { onmouseenter: () => point(one), onmouseleave: () => point(null), onfocus: () => point(one), onblur: () => point(null), onclick: () => copy(one) };
      one.box = null;
      const [left, top, right, bottom] = one.bounds;
      if (one.flags[0] === "on" && right > left && bottom > top) {
        one.box = el("button", { type: "button", class: "box", tabindex: "-1", title: one.id, "aria-label": `Copy ${one.id}`, ...hover });
        Object.assign(one.box.style, {
          left: `${100 * left / size.width}%`, top: `${100 * top / size.height}%`,
          width: `${100 * (right - left) / size.width}%`, height: `${100 * (bottom - top) / size.height}%`,
        });
        drawn.push(one.box);
      }
      const name = [one.text, one.desc, one.res_id.split("/").pop()].find((each) => each !== "-") ?? one.class;
      listed.push(el("li", { class: "row", "data-id": one.id },
        el("button", { type: "button", class: "element", title: "Copy the id", ...hover },
          el("span", { class: "what" }, plain(name)), el("span", { class: "soft mono" }, `${one.class} · ${one.id}`)),
        // For whoever cannot point at the picture.
        one.box && one.flags.some((flag) => flag === "clk" || flag === "edt") && el("button", { type: "button", class: "quiet tap", "aria-label": `Tap ${name}`, onclick: () => act("click_element", { element_id: one.id }) }, "Tap")));
    }
    if (!fit.length) listed.push(el("li", { class: "soft" }, elements.length ? "None fits." : "No elements."));
    boxes.replaceChildren(...drawn);
    list.replaceChildren(...listed);
    if (!focused) return;
    // Whoever steps through them by keyboard stays where they were.
    const same = listed.find((one) => one.dataset.id === focused.closest("li").dataset.id) ?? listed[Math.min(place, listed.length - 1)];
    (same.querySelector(focused.matches(".tap") ? ".tap" : ".element") ?? same.querySelector("button"))?.focus({ preventScroll: true });
  }

  let reading = null, drawnSight = "";
  function readSoon() {
    clearTimeout(reading);
    reading = setTimeout(read, shown.getAttribute("aria-pressed") === "true" ? 150 : 500);
  }
  async function read() {
    if (document.hidden) return;
    try {
      const screen = await get(`${at}/screen`, signal);
      size = { width: screen.width, height: screen.height };
      // The window in front first; bars and keyboard after it.
      const front = (one) => screen.windows[one.window].includes("focused:true") ? 0 : 1;
      const found = screen.elements.map((one, at) => [front(one), at, one]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , one]) => one);
      notes.hidden = !screen.notes.length;
      notes.replaceChildren(...screen.notes.map((note) => el("li", {}, note[0].toUpperCase() + note.slice(1))));
      const sight = JSON.stringify([size, found]);
      if (boxes.hidden || sight === drawnSight) return;
      drawnSight = sight;
      elements = found;
      drawElements();
    } catch { /* the picture says what is wrong */ }
  }

  shown.addEventListener("click", () => {
    boxes.hidden = !boxes.hidden;
    shown.setAttribute("aria-pressed", String(!boxes.hidden));
    panel.hidden = boxes.hidden;
    drawnSight = "";
    if (boxes.hidden) point(null);
    else read();
  });
  filter.addEventListener("input", drawElements);

  const panel = el("section", { class: "card", "aria-label": "Elements", hidden: true },
    el("div", { class: "row" }, el("h3", {}, "Elements"), filter),
    row, list);
  point(null);

  const rates = el("select", {},
    ...[2, 5, 10].map((each) => el("option", { value: each, selected: each === 5 }, `${each} a second`)));

  const button = (label, tool, args) => el("button", { type: "button", onclick: () => act(tool, args) }, label);
  const paste = el("button", { type: "button", title: "Type what is on this computer's clipboard", onclick: async () => {
    try {
      await type(await navigator.clipboard.readText());
    } catch {
      tell("The browser does not let the clipboard be read. Click the picture and press Ctrl+V.", true);
    }
  } }, "Paste");
  const box = el("input", { name: "text", placeholder: "Type into the field that has the focus", "aria-label": "Text to type", autocomplete: "off", maxlength: 2000 });
  const form = el("form", { class: "row grow", onsubmit: (event) => {
    event.preventDefault();
    if (box.value) type(box.value);
    box.value = "";
  } }, box, el("button", {}, "Type"));

  const calls = el("ol", { class: "latest", "aria-label": "Latest calls" });
  latest(calls, phone, signal);

  main.append(el("div", { class: "one" },
    el("div", { class: "left" },
      el("div", { class: "row" },
        all, el("h2", {}, plain(title(phone))), title(phone) !== phone.serial && el("span", { class: "soft mono" }, plain(phone.serial))),
      glass,
      el("div", { class: "row keys", role: "group", "aria-label": "Keys" },
        button("Back", "press_back"), button("Home", "press_home"), button("Recents", "press_recents"),
        button("Enter", "press_key", { key: "ENTER" }), paste)),
    el("div", { class: "right stack" },
      el("section", { class: "card", "aria-label": "Touch and type" },
        el("p", { class: "soft" }, "Click to tap, hold for a long press, drag to swipe. What you do is recorded as yours."),
        form, words, notes,
        el("div", { class: "row" }, shown, el("label", {}, "Pictures, at most", rates))),
      panel,
      el("section", { class: "card", "aria-label": "Latest calls" },
        el("div", { class: "row" }, el("h3", {}, "Latest calls"), el("a", { href: "#/timeline" }, "Timeline")), calls))));

  if (!phone.usable) cover(phone.words, true);
  follow(phone.serial, canvas, {
    size: 1200,
    wait: WAIT_MS,
    rate: () => Number(rates.value),
    seen: (told) => {
      // Turned: where a touch goes is to be read anew.
      if ((told.width > told.height) !== (size.width > size.height)) size = { width: 0, height: 0 };
      cover(told.secure.length ? `Black where a secure window is: ${told.secure.join(", ")}` : "", false);
      readSoon();
    },
    failed: (words) => cover(words, true),
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(reading));
}

const rowText = (one) => [one.id, one.class, one.text, one.desc, one.res_id, one.bounds.join(","), one.flags.join(",")].join("  ");

// Taps, long presses and swipes, in the phone's pixels.
function touch(canvas, finger, sized, act) {
  let from = null, last = Promise.resolve();
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    const share = (value) => Math.min(Math.max(value, 0), 0.9999);
    const x = share((event.clientX - box.left) / box.width), y = share((event.clientY - box.top) / box.height);
    return { px: event.clientX, py: event.clientY, dx: x, dy: y };
  };
  const show = (at) => {
    finger.hidden = false;
    finger.style.left = `${at.dx * 100}%`;
    finger.style.top = `${at.dy * 100}%`;
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    from = { ...place(event), at: performance.now() };
    show(from);
  });
  canvas.addEventListener("pointermove", (event) => { if (from) show(place(event)); });
  canvas.addEventListener("pointercancel", () => { from = null; finger.hidden = true; });
  canvas.addEventListener("pointerup", (event) => {
    if (!from) return;
    const began = from, ended = place(event);
    const held = Math.round(performance.now() - began.at);
    from = null;
    finger.hidden = true;
    last = last.then(() => send(began, ended, held)); // one after the other, as they were made
  });
  async function send(began, ended, held) {
    const { width, height } = await sized();
    if (!width) return;
    const pixel = (at) => ({ ...at, x: Math.floor(at.dx * width), y: Math.floor(at.dy * height) });
    const start = pixel(began), to = pixel(ended);
    if (Math.hypot(to.px - start.px, to.py - start.py) > STILL_PX) {
      act("swipe", { x1: start.x, y1: start.y, x2: to.x, y2: to.y, duration: Math.min(Math.max(held, 50), 5000) });
    } else if (held >= HOLD_MS) act("long_press", { x: start.x, y: start.y, duration: Math.min(held, 5000) });
    else act("tap", { x: start.x, y: start.y });
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
}

// Keys while the picture has the focus. Tab stays the browser's, so that nobody is caught here.
function keyboard(canvas, act, type) {
  let waiting = "", timer = null;
  const send = () => {
    clearTimeout(timer);
    if (waiting) type(waiting);
    waiting = "";
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const special = { Enter: ["press_key", { key: "ENTER" }], Backspace: ["press_key", { key: "DEL" }], Escape: ["press_back"], Home: ["press_home"] }[event.key];
    if (special) {
      send();
      act(...special);
    } else if ([...event.key].length === 1) {
      waiting += event.key;
      clearTimeout(timer);
      timer = setTimeout(send, 350);
    } else return;
    event.preventDefault();
  });
  canvas.addEventListener("paste", (event) => {
    event.preventDefault();
    type(event.clipboardData.getData("text/plain"));
  });
}

// The last few calls on this phone, as they happen.
async function latest(list, phone, signal) {
  const names = [phone.serial, phone.slug].filter(Boolean);
  const items = new Map();
  const note = el("li", { class: "soft empty" });
  const put = (call) => {
    if (!names.includes(call.phone)) return;
    const item = el("li", { class: `call ${call.state}` }, el("a", { href: `#/timeline/${call.id}` }, ...describe(call)));
    const old = items.get(call.id);
    items.set(call.id, item);
    note.remove();
    if (old) old.replaceWith(item);
    else {
      // What is listed and what is heard come in no order.
      const ids = [...items.keys()].sort((a, b) => b - a);
      list.insertBefore(item, items.get(ids[ids.indexOf(call.id) + 1]) ?? null);
      for (const gone of ids.slice(12)) {
        items.get(gone).remove();
        items.delete(gone);
      }
    }
  };
  events.addEventListener("call", ({ detail }) => {
    put(detail);
    if (!detail.person && detail.state === "failed") say(`${detail.tool} failed`);
  }, { signal });
  async function fetchLatest() {
    try {
      const asked = new URLSearchParams({ limit: 12, phone: phone.slug || phone.serial });
      for (const call of (await get(`calls?${asked}`, signal)).calls) put(call);
      note.textContent = "None yet. What agents and you do on this phone appears here as it happens.";
    } catch (problem) {
      if (signal.aborted) return;
      note.textContent = problem.message;
    }
    if (!items.size) list.append(note);
  }
  for (const kind of ["hello", "others"]) events.addEventListener(kind, fetchLatest, { signal });
  await fetchLatest();
}
