// Calls that wait for a person.
import { draw, el, events, get, ownName, post, say } from "./api.js";
import { clock } from "./words.js";

const ANSWERS = { allowed: "allowed", denied: "denied", unanswered: "denied, as nobody answered", withdrawn: "withdrawn by the agent" };
const STILL_MS = 700; // what appears under a finger is not pressed by it

export async function open(main) {
  const ending = new AbortController();
  const { signal } = ending;
  const cards = new Map();
  const none = el("p", { class: "notice" }, "Nothing waits. While a console is open, calls that the rules say to ask about appear here and wait for you; without an answer they are denied.");
  const list = el("div", { class: "stack", role: "list" });
  const past = el("ul", { class: "latest" });
  const decided = el("section", { class: "card", "aria-label": "Decided", hidden: true }, el("h3", {}, "Decided since this page was opened"), past);
  main.append(el("h2", {}, "Approvals"), el("div", { class: "stack" }, none, list, decided));

  let skew = 0; // the server's clock, by which questions end, against this one's
  const now = () => Date.now() / 1000 + skew;

  function add(question) {
    if (cards.has(question.id)) return;
    const canvas = el("canvas", { role: "img", "aria-label": "The phone's screen now", width: 180, height: 400 });
    const left = el("span", { class: "left", role: "timer" });
    const bar = el("progress", { max: question.until - question.asked_at, "aria-label": "Time that is left" });
    const words = el("p", { class: "words", role: "status" });
    const allow = el("button", { type: "button", class: "main", disabled: true, onclick: () => answer(true) }, "Allow once");
    const deny = el("button", { type: "button", class: "bad", disabled: true, onclick: () => answer(false) }, "Deny");
    setTimeout(() => { allow.disabled = deny.disabled = false; }, STILL_MS);
    async function answer(yes) {
      allow.disabled = deny.disabled = true;
      try {
        const { counts } = await post(`questions/${question.id}/answer`, { allow: yes }, signal);
        if (!counts) words.textContent = "This was decided already.";
      } catch (problem) {
        words.textContent = problem.message;
        allow.disabled = deny.disabled = false;
      }
    }
    const facts = [["Agent", question.client || question.door], ["Token", question.token], ["Phone", question.phone], ["App in front", question.app], ["Asked by the rule", question.rule]];
    const card = el("article", { class: "card question", role: "listitem", "aria-label": `${question.tool} is asked for` },
      el("div", { class: "glass small" }, canvas),
      el("div", { class: "stack tight" },
        el("h3", {}, `${question.title || question.tool} `, el("code", {}, question.tool)),
        el("dl", {}, ...facts.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
        ...Object.entries(question.arguments).map(([name, value]) => el("div", {}, el("div", { class: "soft" }, name), el("pre", { tabindex: "0" }, typeof value === "string" ? value : JSON.stringify(value, null, 2)))),
        el("div", { class: "row" }, bar, left),
        el("div", { class: "row" }, deny, allow), words));
    cards.set(question.id, { question, card, left, bar });
    list.append(card);
    if (question.phone) {
      draw(canvas, `phones/${encodeURIComponent(question.phone)}/frame?size=640`, signal).catch((problem) => {
        if (!signal.aborted) words.textContent = `The phone's screen cannot be shown: ${problem.message}`;
      });
    }
    tick();
  }

  function remove(id, state, whose) {
    const found = cards.get(id);
    if (!found) return;
    cards.delete(id);
    found.card.remove();
    decided.hidden = false;
    const said = `${clock(now())} ${found.question.tool} for ${found.question.client || found.question.door}: ${ANSWERS[state] ?? state}${whose ? ` by ${whose === ownName() ? "you" : whose}` : ""}`;
    past.prepend(el("li", { class: `call ${state === "allowed" ? "done" : "denied"}` }, said));
    say(said);
    tick();
  }

  function tick() {
    none.hidden = cards.size > 0;
    for (const { question, left, bar } of cards.values()) {
      const seconds = Math.max(0, question.until - now());
      bar.value = seconds;
      left.textContent = `${Math.ceil(seconds)} s left`;
    }
  }

  async function reload() {
    const { now: theirs, questions } = await get("questions", signal);
    skew = theirs - Date.now() / 1000;
    const open = new Set(questions.map((one) => one.id));
    for (const id of [...cards.keys()]) if (!open.has(id)) remove(id, "decided");
    questions.forEach(add);
    tick();
  }

  events.addEventListener("question", ({ detail }) => {
    skew = detail.now - Date.now() / 1000;
    if (detail.state === "asked") add(detail);
    else remove(detail.id, detail.state, detail.who);
  }, { signal });
  events.addEventListener("hello", () => reload().catch(() => {}), { signal });
  await reload();
  const timer = setInterval(() => { if (cards.size) tick(); }, 250);
  return () => {
    clearInterval(timer);
    ending.abort();
  };
}
