// Calls that wait for a person's approval.
import { announce, draw, el, events, ownName, post } from "./api.js";
import { foreign, plain, secondsLeft } from "./components.js";
import { now, read, waiting } from "./questions.js";
import { clock } from "./format.js";

const ANSWERS = { allowed: "allowed", denied: "denied", unanswered: "denied, no answer", withdrawn: "withdrawn by the agent" };
const PAUSE_MS = 700; // prevents an accidental click on a button that appears under the pointer
const LONG = 400; // characters; longer texts, or more than 10 lines, get a scroll hint

export async function open(main) {
  const controller = new AbortController();
  const { signal } = controller;
  const cards = new Map();
  const empty = el("p", { class: "notice" }, "No calls are waiting. While a console is open, calls that need approval appear here and wait for you; without an answer they are denied.");
  const list = el("div", { class: "stack", role: "list" });
  const past = el("ul", { class: "latest" });
  const decided = el("section", { class: "card", "aria-label": "Decided", hidden: true }, el("h3", {}, "Decided since this page was opened"), past);
  main.append(el("h2", {}, "Approvals"), el("div", { class: "stack" }, empty, list, decided));

  // Whenever the list changes, the buttons are disabled for a moment: the pointer may now be over
  // the button of another question.
  let moves = 0;
  function pauseButtons() {
    const move = ++moves;
    for (const { hold } of cards.values()) hold(true);
    setTimeout(() => { if (move === moves) for (const { hold } of cards.values()) hold(false); }, PAUSE_MS);
  }

  function add(question) {
    const canvas = el("canvas", { role: "img", "aria-label": "The phone's current screen", width: 180, height: 400 });
    const left = el("span", { class: "left", role: "timer" });
    const bar = el("progress", { max: question.until - question.asked_at, "aria-label": "Time left" });
    const message = el("p", { class: "message", role: "status", hidden: true });
    const button = (kind, word, body) => el("button", { type: "button", class: kind, disabled: true, "aria-describedby": `question-${question.id}`, onclick: () => answer(body) }, word);
    const buttons = [button("bad", "Deny", { allow: false }), button("main", "Allow once", { allow: true })];
    if (question.always) buttons.push(button("", "Always, for this app", { allow: true, always: true }));
    let answering = false;
    const hold = (on) => { for (const control of buttons) control.disabled = on || answering; };
    function showMessage(text) {
      message.textContent = text;
      message.hidden = false;
    }
    async function answer(body) {
      answering = true;
      hold(true);
      try {
        const { counts } = await post(`questions/${question.id}/answer`, body, signal);
        if (!counts) showMessage("This was already decided.");
      } catch (problem) {
        if (signal.aborted) return;
        showMessage(problem.message);
        answering = false;
        hold(false);
      }
    }
    const facts = [["Agent", question.client || `unnamed, through ${question.door}`], ["Token", question.token], ["Host", question.host], ["Phone", question.phone], ["Foreground app", question.app], ["Screen", question.screen], ["About", question.subject], ["Tool of the app", question.package], ["Matched rule", question.rule]];
    const remedy = question.allow_by?.setting && el("details", {}, el("summary", {}, "Always allow it"),
      el("p", {}, "In handheld.toml: ", el("code", {}, plain(question.allow_by.setting))), el("p", {}, "Or: ", el("code", {}, plain(question.allow_by.command))));
    const card = el("article", { class: "card question", role: "listitem", "aria-label": `Approval of ${question.tool}` },
      el("div", { class: "glass small" }, canvas),
      el("div", { class: "stack tight" },
        el("h3", { id: `question-${question.id}` }, plain(question.title || question.tool), " ", el("code", {}, plain(question.tool))),
        el("dl", {}, facts.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, plain(value))])),
        el("div", { class: "arguments stack tight" }, Object.entries(question.arguments).map(([name, value]) => argument(name, value))),
        remedy, message, el("div", { class: "row" }, ...buttons, bar, left)));
    cards.set(question.id, { question, card, left, bar, hold });
    list.append(card);
    pauseButtons();
    const phone = question.key ?? question.phone; // at a gateway names are not unique
    if (phone) {
      draw(canvas, `phones/${encodeURIComponent(phone)}/frame?size=640`, signal).catch((problem) => {
        if (!signal.aborted) showMessage(`The phone's screen cannot be shown: ${problem.message}`);
      });
    }
    tick();
  }

  function remove({ question, state, who }) {
    cards.get(question.id).card.remove();
    cards.delete(question.id);
    pauseButtons();
    decided.hidden = false;
    const what = ` for ${question.client || question.door}: ${ANSWERS[state] ?? state}${who ? ` by ${who === ownName() ? "you" : who}` : ""}`;
    past.prepend(el("li", { class: `call ${state === "allowed" ? "done" : "denied"}` }, `${clock(now())} `, foreign(question.tool), foreign(what)));
    announce(question.tool + what);
    tick();
  }

  function tick() {
    empty.hidden = cards.size > 0;
    for (const { question, left, bar } of cards.values()) {
      const seconds = Math.max(0, question.until - now());
      bar.value = seconds;
      left.textContent = secondsLeft(seconds);
    }
  }

  await read(signal);
  waiting.forEach(add);
  events.addEventListener("asked", ({ detail }) => add(detail), { signal });
  events.addEventListener("ended", ({ detail }) => remove(detail), { signal });
  const timer = setInterval(() => { if (cards.size) tick(); }, 250);
  return () => {
    clearInterval(timer);
    controller.abort();
  };
}

// The whole argument, in a box of limited height: the buttons stay close however long it is.
function argument(name, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const lines = text.split("\n").length;
  const long = text.length > LONG || lines > 10;
  return el("div", {},
    el("div", { class: "soft" }, plain(name), long && ` · ${text.length} characters in ${lines} ${lines === 1 ? "line" : "lines"}, scroll to see them all`),
    el("pre", { tabindex: long ? "0" : null, role: long ? "region" : null, "aria-label": long ? name : null }, plain(text)));
}
