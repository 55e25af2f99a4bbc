// Calls that wait for a person.
import { draw, el, events, ownName, post, say } from "./api.js";
import { foreign, plain, secondsLeft } from "./parts.js";
import { now, read, waiting } from "./questions.js";
import { clock } from "./words.js";

const ANSWERS = { allowed: "allowed", denied: "denied", unanswered: "denied, as nobody answered", withdrawn: "withdrawn by the agent" };
const STILL_MS = 700; // what appears under a finger is not pressed by it
const LONG = 400; // characters, or 10 lines, beyond which a text is said to go on

export async function open(main) {
  const ending = new AbortController();
  const { signal } = ending;
  const cards = new Map();
  const none = el("p", { class: "notice" }, "Nothing waits. While a console is open, calls that the rules say to ask about appear here and wait for you; without an answer they are denied.");
  const list = el("div", { class: "stack", role: "list" });
  const past = el("ul", { class: "latest" });
  const decided = el("section", { class: "card", "aria-label": "Decided", hidden: true }, el("h3", {}, "Decided since this page was opened"), past);
  main.append(el("h2", {}, "Approvals"), el("div", { class: "stack" }, none, list, decided));

  // Whenever something moves, no answer is taken for a moment: it may be another's button that is
  // under the pointer now.
  let moved = 0;
  function still() {
    const mine = ++moved;
    for (const { hold } of cards.values()) hold(true);
    setTimeout(() => { if (mine === moved) for (const { hold } of cards.values()) hold(false); }, STILL_MS);
  }

  function add(question) {
    const canvas = el("canvas", { role: "img", "aria-label": "The phone's screen now", width: 180, height: 400 });
    const left = el("span", { class: "left", role: "timer" });
    const bar = el("progress", { max: question.until - question.asked_at, "aria-label": "Time that is left" });
    const words = el("p", { class: "words", role: "status", hidden: true });
    const button = (kind, word, yes) => el("button", { type: "button", class: kind, disabled: true, "aria-describedby": `question-${question.id}`, onclick: () => answer(yes) }, word);
    const buttons = [button("bad", "Deny", false), button("main", "Allow once", true)];
    let answering = false;
    const hold = (on) => { for (const one of buttons) one.disabled = on || answering; };
    function tell(text) {
      words.textContent = text;
      words.hidden = false;
    }
    async function answer(yes) {
      answering = true;
      hold(true);
      try {
        const { counts } = await post(`questions/${question.id}/answer`, { allow: yes }, signal);
        if (!counts) tell("This was decided already.");
      } catch (problem) {
        if (signal.aborted) return;
        tell(problem.message);
        answering = false;
        hold(false);
      }
    }
    const facts = [["Agent", question.client || `without a name, by ${question.door}`], ["Token", question.token], ["Phone", question.phone], ["App in front", question.app], ["Asked by the rule", question.rule]];
    const card = el("article", { class: "card question", role: "listitem", "aria-label": `${question.tool} is asked for` },
      el("div", { class: "glass small" }, canvas),
      el("div", { class: "stack tight" },
        el("h3", { id: `question-${question.id}` }, plain(question.title || question.tool), " ", el("code", {}, plain(question.tool))),
        el("dl", {}, facts.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, plain(value))])),
        el("div", { class: "given stack tight" }, Object.entries(question.arguments).map(([name, value]) => argument(name, value))),
        words, el("div", { class: "row" }, ...buttons, bar, left)));
    cards.set(question.id, { question, card, left, bar, hold });
    list.append(card);
    still();
    if (question.phone) {
      draw(canvas, `phones/${encodeURIComponent(question.phone)}/frame?size=640`, signal).catch((problem) => {
        if (!signal.aborted) tell(`The phone's screen cannot be shown: ${problem.message}`);
      });
    }
    tick();
  }

  function remove({ question, state, who }) {
    cards.get(question.id).card.remove();
    cards.delete(question.id);
    still();
    decided.hidden = false;
    const what = ` for ${question.client || question.door}: ${ANSWERS[state] ?? state}${who ? ` by ${who === ownName() ? "you" : who}` : ""}`;
    past.prepend(el("li", { class: `call ${state === "allowed" ? "done" : "denied"}` }, `${clock(now())} `, foreign(question.tool), foreign(what)));
    say(question.tool + what);
    tick();
  }

  function tick() {
    none.hidden = cards.size > 0;
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
    ending.abort();
  };
}

// As it is, in a box that does not grow: however long it is, the buttons follow soon.
function argument(name, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const lines = text.split("\n").length;
  const long = text.length > LONG || lines > 10;
  return el("div", {},
    el("div", { class: "soft" }, plain(name), long && ` · ${text.length} characters in ${lines} ${lines === 1 ? "line" : "lines"}, scroll to see them all`),
    el("pre", { tabindex: long ? "0" : null, role: long ? "region" : null, "aria-label": long ? name : null }, plain(text)));
}
