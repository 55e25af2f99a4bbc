// The questions that wait for a person: kept by what is told and, whenever some of that may have been
// missed, read anew. Tells of them as events "asked" and "ended" of `events`.
import { events, get } from "./api.js";

export const waiting = new Map(); // by id
let skew = 0; // the server's clock, by which questions end, against this one's
let heard = 0;

export const now = () => Date.now() / 1000 + skew;

function tell(kind, detail) {
  events.dispatchEvent(new CustomEvent(kind, { detail }));
}

function add(question) {
  if (waiting.has(question.id)) return;
  waiting.set(question.id, question);
  tell("asked", question);
}

function end(id, state, who) {
  const question = waiting.get(id);
  if (!waiting.delete(id)) return;
  tell("ended", { question, state, who });
}

export async function read(signal) {
  let before, told;
  do {
    before = heard; // what was told while this was on its way may be newer than the answer
    told = await get("questions", signal);
  } while (before !== heard);
  skew = told.now - Date.now() / 1000;
  const open = new Set(told.questions.map((one) => one.id));
  for (const id of [...waiting.keys()]) if (!open.has(id)) end(id, "decided");
  told.questions.forEach(add);
}

events.addEventListener("question", ({ detail }) => {
  heard += 1;
  skew = detail.now - Date.now() / 1000;
  if (detail.state === "asked") add(detail);
  else end(detail.id, detail.state, detail.who);
});
events.addEventListener("hello", () => read().catch(() => { /* the next hello tells */ }));
