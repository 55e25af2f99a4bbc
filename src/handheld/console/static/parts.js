// Pieces that several pages are made of.
import { el, say } from "./api.js";

// What others wrote: isolated, so that its direction does not reach its surroundings.
export function foreign(text) {
  return el("bdi", { class: "foreign" }, text);
}

// What is there and not to be seen: controls, marks of direction, characters without a width. They
// can make one thing look like another. Joiners are left, which scripts and emoji are made with.
const UNSEEN = /([\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}])/u;

// What others wrote, for somebody who decides by it: the unseen is named in its place.
export function plain(text) {
  return el("bdi", { class: "foreign" }, text.split(UNSEEN).map((part, at) => at % 2
    ? el("span", { class: "unseen" }, `U+${part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`)
    : part));
}

// A sentence of ours: what stands between backticks is to be typed.
export function worded(text) {
  return text.split("`").map((part, at) => at % 2 ? el("code", {}, foreign(part)) : foreign(part));
}

export const secondsLeft = (seconds) => `${Math.max(0, Math.ceil(seconds))} s left`;

export function problem(text) {
  return el("p", { class: "problem", role: "alert" }, worded(text));
}

let ids = 0;

// A labelled control, with a hint that screen readers tell with it.
export function field(label, control, hint) {
  const id = `field-${++ids}`;
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return el("div", { class: "field" },
    el("label", { for: id }, label), control,
    hint && el("span", { class: "hint soft", id: `${id}-hint` }, hint));
}

export function check(label, properties = {}) {
  const box = el("input", { type: "checkbox", ...properties });
  return [el("label", {}, box, label), box];
}

// A button that copies, and says so.
export function copyButton(text, what) {
  const button = el("button", { type: "button", "aria-label": `Copy ${what}`, onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      say(`${what} is copied.`);
    } catch {
      button.textContent = "Copy by hand";
      say("The browser does not let this page copy: select the text and copy it by hand.");
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  } }, "Copy");
  return button;
}

const STILL_MS = 500; // a double click is no answer

// A button that asks once more, in its place, before it acts.
export function askingButton(words, question, sure, act, kind = "") {
  const place = el("span", { class: "asking" });
  const first = el("button", { type: "button", class: kind, onclick: () => {
    const yes = el("button", { type: "button", class: kind || "bad", disabled: true, onclick: async () => {
      yes.disabled = true;
      try {
        await act();
      } catch (failure) {
        place.replaceChildren(first, problem(failure.message));
      }
    } }, sure);
    const no = el("button", { type: "button", onclick: () => {
      place.replaceChildren(first);
      first.focus();
    } }, "No");
    const all = el("span", { class: "row", role: "group", "aria-label": question }, question, yes, no);
    all.addEventListener("keydown", (event) => { if (event.key === "Escape") no.click(); });
    place.replaceChildren(all);
    setTimeout(() => { yes.disabled = false; }, STILL_MS);
    no.focus();
  } }, words);
  place.append(first);
  return place;
}

// A form whose button is off while it works, and which shows what went wrong.
export function form(properties, submit, ...children) {
  const words = el("div", { class: "grow" });
  const all = el("form", { ...properties, onsubmit: async (event) => {
    event.preventDefault();
    const buttons = [...all.querySelectorAll("button")].filter((one) => !one.disabled);
    for (const one of buttons) one.disabled = true;
    words.replaceChildren();
    try {
      await submit(words);
    } catch (failure) {
      words.replaceChildren(problem(failure.message));
    } finally {
      for (const one of buttons) one.disabled = false;
    }
  } }, ...children, words);
  return all;
}

const when = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]];

// A moment, in seconds since 1970: as a person says it, with the exact time at hand.
export function moment(seconds, now) {
  const apart = seconds - now;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(apart) >= size) ?? ["second", 1];
  const date = new Date(seconds * 1000);
  const words = Math.abs(apart) < 45 ? "just now" : relative.format(Math.round(apart / size), unit);
  return el("time", { datetime: date.toISOString(), title: when.format(date) }, words);
}

// A table that a narrow screen may scroll sideways.
export function table(caption, heads, rows) {
  return el("div", { class: "sideways", role: "region", tabindex: "0", "aria-label": caption },
    el("table", {},
      el("caption", { class: "visually-hidden" }, caption),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows)));
}
