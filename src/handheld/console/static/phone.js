// The phones: a grid if there are several, or one to watch and control.
import { el, get, post } from "./api.js";
import { plain } from "./components.js";
import { follow, pane, sleep, visible } from "./frames.js";
import { stopControl } from "./held.js";
import { keyboard, touch } from "./input.js";
import { showLatest } from "./latest.js";
import { leaseControl } from "./leases.js";

const HINT = "The elements as an agent sees them. Hover over one to see its row; click it to copy its id.";
// A browser opens at most six connections to a server for all its windows: a request for a frame
// waits only briefly, and in the grid not at all.
const WAIT_MS = 5000;

const title = (phone) => phone.slug || phone.model || phone.serial;

export async function open(main) {
  const controller = new AbortController();
  const { signal } = controller;
  const wanted = decodeURIComponent(location.hash.split("?")[0].split("/")[2] ?? "");
  const phones = await get("phones", signal);
  const chosen = phones.find((phone) => phone.serial === wanted) ?? (phones.length === 1 ? phones[0] : null);
  const all = el("a", { href: "#/phone", hidden: phones.length < 2 }, "All phones");
  if (chosen) openPhone(main, chosen, all, signal);
  else openGrid(main, phones, signal);
  watchPhones(phones, (now) => {
    all.hidden = now.length < 2;
    // The phone on display stays while it is known, whatever its state.
    return chosen && now.some(({ serial }) => serial === chosen.serial);
  }, signal);
  return () => controller.abort();
}

// Reload the page when the phones change, unless `stays` accepts the new list.
async function watchPhones(phones, stays, signal) {
  const summary = (list) => JSON.stringify(list.map((phone) => [phone.serial, phone.usable, phone.words]));
  for (;;) {
    await sleep(4000, signal);
    await visible(signal);
    if (signal.aborted) return;
    const now = await get("phones", signal).catch(() => phones);
    if (!signal.aborted && summary(now) !== summary(phones) && !stays(now)) dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

function openGrid(main, phones, signal) {
  main.append(el("h2", {}, "Phones"));
  if (!phones.length) {
    main.append(el("p", { class: "notice" },
      "No phone is connected. Connect one by USB and allow USB debugging on its screen. The ", el("a", { href: "#/doctor" }, "Doctor"), " page shows what is missing."));
  }
  const grid = el("ul", { class: "phones" });
  main.append(grid);
  for (const phone of phones) {
    const canvas = el("canvas", { role: "img", "aria-label": `The screen of ${title(phone)}`, width: 216, height: 480 });
    const [glass, cover] = pane("", canvas);
    grid.append(el("li", { class: "card" },
      el("a", { href: `#/phone/${encodeURIComponent(phone.serial)}` }, el("h3", {}, plain(title(phone))), glass),
      title(phone) !== phone.serial && el("p", { class: "soft mono" }, plain(phone.serial)),
      leaseControl(phone, signal),
      stopControl(phone.serial, "Stop agents", signal)));
    if (phone.usable) {
      follow(phone.serial, canvas, { size: 480, rate: () => 1, wait: 1, seen: () => cover("", false), failed: (message) => cover(message, true) }, signal);
    } else cover(phone.words, true);
  }
}

function openPhone(main, phone, all, signal) {
  const path = `phones/${encodeURIComponent(phone.serial)}`;
  let size = { width: 0, height: 0 };

  const canvas = el("canvas", {
    tabindex: "0", role: "application", width: 360, height: 800,
    "aria-label": `The screen of ${title(phone)}. Keys are typed into the focused field; Escape presses Back.`,
  });
  const boxes = el("div", { class: "boxes", hidden: true });
  const finger = el("div", { class: "finger", hidden: true });
  const [glass, cover] = pane("live", canvas, boxes, finger);
  const message = el("p", { class: "soft message", role: "status" });
  const notes = el("ul", { class: "notes", hidden: true });

  function showMessage(text, bad = false) {
    message.textContent = text;
    message.classList.toggle("bad", bad);
  }

  // Actions run one after the other.
  let last = Promise.resolve();
  function act(tool, args = {}) {
    return run(`${path}/act`, { tool, arguments: args });
  }
  function type(text) {
    const parts = text.match(/[^]{1,1000}/gu) ?? [];
    return Promise.all(parts.map((part) => run(`${path}/type`, { text: part })));
  }
  function run(target, body) {
    last = last.then(async () => {
      try {
        const { said: lines } = await post(target, body, signal);
        showMessage(lines.join(" ").split("\n")[0]);
      } catch (problem) {
        if (!signal.aborted) showMessage(problem.message, true);
      }
    });
    return last;
  }

  // The size of the screen; a touch waits until it is known.
  async function screenSize() {
    if (!size.width) await read();
    if (!size.width) showMessage("The screen cannot be read, so nothing was done.", true);
    return size;
  }
  touch(canvas, finger, screenSize, act);
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
      showMessage(`Copied ${element.id}`);
    } catch {
      showMessage(`The browser does not allow copying. The id is ${element.id}`, true);
    }
  }

  function point(element) {
    row.replaceChildren(element ? plain(rowText(element)) : el("span", { class: "soft" }, HINT));
    for (const hot of glass.querySelectorAll(".box.hot")) hot.classList.remove("hot");
    element?.box?.classList.add("hot");
  }

  function drawElements() {
    const sought = filter.value.toLowerCase();
    const fit = elements.filter((element) => rowText(element).toLowerCase().includes(sought));
    const focused = list.contains(document.activeElement) ? document.activeElement : null;
    const place = focused && [...list.children].indexOf(focused.closest("li"));
    const drawn = [], listed = [];
    for (const element of fit) {
      const hover = { onmouseenter: () => point(element), onmouseleave: () => point(null), onfocus: () => point(element), onblur: () => point(null), onclick: () => copy(element) };
      element.box = null;
      const [left, top, right, bottom] = element.bounds;
      if (element.flags[0] === "on" && right > left && bottom > top) {
        element.box = el("button", { type: "button", class: "box", tabindex: "-1", title: element.id, "aria-label": `Copy ${element.id}`, ...hover });
        Object.assign(element.box.style, {
          left: `${100 * left / size.width}%`, top: `${100 * top / size.height}%`,
          width: `${100 * (right - left) / size.width}%`, height: `${100 * (bottom - top) / size.height}%`,
        });
        drawn.push(element.box);
      }
      const name = [element.text, element.desc, element.res_id.split("/").pop()].find((each) => each !== "-") ?? element.class;
      listed.push(el("li", { class: "row", "data-id": element.id },
        el("button", { type: "button", class: "element", title: "Copy the id", ...hover },
          el("span", { class: "what" }, plain(name)), el("span", { class: "soft mono" }, `${element.class} · ${element.id}`)),
        // For people who cannot point at the picture.
        element.box && element.flags.some((flag) => flag === "clk" || flag === "edt") && el("button", { type: "button", class: "quiet tap", "aria-label": `Tap ${name}`, onclick: () => act("click_element", { element_id: element.id }) }, "Tap")));
    }
    if (!fit.length) listed.push(el("li", { class: "soft" }, elements.length ? "No matches." : "No elements."));
    boxes.replaceChildren(...drawn);
    list.replaceChildren(...listed);
    if (!focused) return;
    // Keyboard users keep their place in the list.
    const same = listed.find((item) => item.dataset.id === focused.closest("li").dataset.id) ?? listed[Math.min(place, listed.length - 1)];
    (same.querySelector(focused.matches(".tap") ? ".tap" : ".element") ?? same.querySelector("button"))?.focus({ preventScroll: true });
  }

  let reading = null, drawnSummary = "";
  function readSoon() {
    clearTimeout(reading);
    reading = setTimeout(read, shown.getAttribute("aria-pressed") === "true" ? 150 : 500);
  }
  async function read() {
    if (document.hidden) return;
    try {
      const screen = await get(`${path}/screen`, signal);
      size = { width: screen.width, height: screen.height };
      // The focused window first, then bars and keyboard.
      const front = (element) => screen.windows[element.window].includes("focused:true") ? 0 : 1;
      const found = screen.elements.map((element, index) => [front(element), index, element]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , element]) => element);
      notes.hidden = !screen.notes.length;
      notes.replaceChildren(...screen.notes.map((note) => el("li", {}, note[0].toUpperCase() + note.slice(1))));
      const summary = JSON.stringify([size, found]);
      if (boxes.hidden || summary === drawnSummary) return;
      drawnSummary = summary;
      elements = found;
      drawElements();
    } catch { /* the picture shows what is wrong */ }
  }

  shown.addEventListener("click", () => {
    boxes.hidden = !boxes.hidden;
    shown.setAttribute("aria-pressed", String(!boxes.hidden));
    panel.hidden = boxes.hidden;
    drawnSummary = "";
    if (boxes.hidden) point(null);
    else read();
  });
  filter.addEventListener("input", drawElements);

  const panel = el("section", { class: "card", "aria-label": "Elements", hidden: true },
    el("div", { class: "row" }, el("h3", {}, "Elements"), filter),
    row, list);
  point(null);

  const rates = el("select", {},
    ...[2, 5, 10].map((each) => el("option", { value: each, selected: each === 5 }, `${each} per second`)));

  const button = (label, tool, args) => el("button", { type: "button", onclick: () => act(tool, args) }, label);
  const paste = el("button", { type: "button", title: "Type the contents of this computer's clipboard", onclick: async () => {
    try {
      await type(await navigator.clipboard.readText());
    } catch {
      showMessage("The browser does not allow reading the clipboard. Click the picture and press Ctrl+V.", true);
    }
  } }, "Paste");
  const box = el("input", { name: "text", placeholder: "Type into the focused field", "aria-label": "Text to type", autocomplete: "off", maxlength: 2000 });
  const form = el("form", { class: "row grow", onsubmit: (event) => {
    event.preventDefault();
    if (box.value) type(box.value);
    box.value = "";
  } }, box, el("button", {}, "Type"));

  const calls = el("ol", { class: "latest", "aria-label": "Latest calls" });
  showLatest(calls, phone, signal);

  main.append(el("div", { class: "single" },
    el("div", { class: "left" },
      el("div", { class: "row" },
        all, el("h2", {}, plain(title(phone))), title(phone) !== phone.serial && el("span", { class: "soft mono" }, plain(phone.serial))),
      leaseControl(phone, signal),
      stopControl(phone.serial, "Stop agents", signal),
      glass,
      el("div", { class: "row keys", role: "group", "aria-label": "Phone keys" },
        button("Back", "press_back"), button("Home", "press_home"), button("Recents", "press_recents"),
        button("Enter", "press_key", { key: "ENTER" }), paste)),
    el("div", { class: "right stack" },
      el("section", { class: "card", "aria-label": "Touch and type" },
        el("p", { class: "soft" }, "Click to tap, hold for a long press, drag to swipe. Your actions are recorded as yours."),
        form, message, notes,
        el("div", { class: "row" }, shown, el("label", {}, "Frame rate, at most", rates))),
      panel,
      el("section", { class: "card", "aria-label": "Latest calls" },
        el("div", { class: "row" }, el("h3", {}, "Latest calls"), el("a", { href: "#/timeline" }, "Timeline")), calls))));

  if (!phone.usable) cover(phone.words, true);
  follow(phone.serial, canvas, {
    size: 1200,
    wait: WAIT_MS,
    rate: () => Number(rates.value),
    seen: (frame) => {
      // Rotated: the size has to be read again before the next touch.
      if ((frame.width > frame.height) !== (size.width > size.height)) size = { width: 0, height: 0 };
      cover(frame.secure.length ? `Secure windows appear black: ${frame.secure.join(", ")}` : "", false);
      readSoon();
    },
    failed: (problem) => cover(problem, true),
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(reading));
}

const rowText = (element) => [element.id, element.class, element.text, element.desc, element.res_id, element.bounds.join(","), element.flags.join(",")].join("  ");
