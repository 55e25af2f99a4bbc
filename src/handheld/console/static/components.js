// Elements that several pages use.
import { announce, el } from "./api.js";

// Untrusted text, isolated: its writing direction does not affect its surroundings.
export function foreign(text) {
  return el("bdi", { class: "foreign" }, text);
}

// Invisible characters: controls, direction marks, zero-width characters. They can make one text look
// like another. Joiners stay: scripts and emoji need them.
// eslint-disable-next-line no-control-regex
const INVISIBLE = /([\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}])/u;

// Untrusted text that a person judges: invisible characters are shown by name.
export function plain(text) {
  return el("bdi", { class: "foreign" }, text.split(INVISIBLE).map((part, at) => at % 2
    ? el("span", { class: "invisible" }, `U+${part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`)
    : part));
}

// A message from the server, with code in backticks.
export function formatMessage(text) {
  return text.split("`").map((part, at) => at % 2 ? el("code", {}, foreign(part)) : foreign(part));
}

export const secondsLeft = (seconds) => `${Math.max(0, Math.ceil(seconds))} s left`;

export function problem(text) {
  return el("p", { class: "problem", role: "alert" }, formatMessage(text));
}

let ids = 0;

// A labelled control, with a hint that screen readers read out.
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

// A button that copies a text and confirms it.
export function copyButton(text, what) {
  const button = el("button", { type: "button", "aria-label": `Copy ${what}`, onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      announce(`Copied ${what}.`);
    } catch {
      button.textContent = "Copy manually";
      announce("The browser does not allow copying here: select the text and copy it manually.");
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  } }, "Copy");
  return button;
}

const PAUSE_MS = 500; // a double click is not an answer

// A button that asks for confirmation, in place, before it acts.
export function confirmButton(label, question, confirmLabel, act, kind = "") {
  const holder = el("span", { class: "confirm" });
  const first = el("button", { type: "button", class: kind, onclick: () => {
    const yes = el("button", { type: "button", class: kind || "bad", disabled: true, onclick: async () => {
      yes.disabled = true;
      try {
        await act();
      } catch (failure) {
        holder.replaceChildren(first, problem(failure.message));
      }
    } }, confirmLabel);
    const no = el("button", { type: "button", onclick: () => {
      holder.replaceChildren(first);
      first.focus();
    } }, "No");
    const all = el("span", { class: "row", role: "group", "aria-label": question }, question, yes, no);
    all.addEventListener("keydown", (event) => { if (event.key === "Escape") no.click(); });
    holder.replaceChildren(all);
    setTimeout(() => { yes.disabled = false; }, PAUSE_MS);
    no.focus();
  } }, label);
  holder.append(first);
  return holder;
}

// A form that disables its buttons while it submits, and shows failures.
export function form(properties, submit, ...children) {
  const message = el("div", { class: "grow" });
  const all = el("form", { ...properties, onsubmit: async (event) => {
    event.preventDefault();
    const buttons = [...all.querySelectorAll("button")].filter((button) => !button.disabled);
    for (const button of buttons) button.disabled = true;
    message.replaceChildren();
    try {
      await submit(message);
    } catch (failure) {
      message.replaceChildren(problem(failure.message));
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  } }, ...children, message);
  return all;
}

const dateFormat = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]];

// A time, in seconds since 1970, relative to now; the tooltip has the exact time.
export function moment(seconds, now) {
  const difference = seconds - now;
  const [unit, size] = UNITS.find(([, least]) => Math.abs(difference) >= least) ?? ["second", 1];
  const date = new Date(seconds * 1000);
  const label = Math.abs(difference) < 45 ? "just now" : relativeFormat.format(Math.round(difference / size), unit);
  return el("time", { datetime: date.toISOString(), title: dateFormat.format(date) }, label);
}

// A table that scrolls sideways on narrow screens.
export function table(caption, heads, rows) {
  return el("div", { class: "sideways", role: "region", tabindex: "0", "aria-label": caption },
    el("table", {},
      el("caption", { class: "visually-hidden" }, caption),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows)));
}
