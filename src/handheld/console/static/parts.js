// Pieces that several pages are made of.
import { el, say } from "./api.js";

// What others wrote: isolated, so that its direction does not reach its surroundings.
export function foreign(text) {
  return el("bdi", { class: "foreign" }, text);
}

export function problem(text) {
  return el("p", { class: "problem", role: "alert" }, text);
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
