// The pending questions: kept up to date from the server's events, and read again whenever events may
// have been missed. Dispatches "asked" and "ended" on `events`.
import { events, get } from "./api.js";

export const waiting = new Map(); // by id
let skew = 0; // from this computer's clock to the server's, which decides when questions end
let received = 0;

export const now = () => Date.now() / 1000 + skew;

function dispatch(kind, detail) {
  events.dispatchEvent(new CustomEvent(kind, { detail }));
}

function add(question) {
  if (waiting.has(question.id)) return;
  waiting.set(question.id, question);
  dispatch("asked", question);
}

function end(id, state, who) {
  const question = waiting.get(id);
  if (!waiting.delete(id)) return;
  dispatch("ended", { question, state, who });
}

export async function read(signal) {
  let receivedBefore, reply;
  do {
    receivedBefore = received; // an event received meanwhile may be newer than the reply
    reply = await get("questions", signal);
  } while (receivedBefore !== received);
  skew = reply.now - Date.now() / 1000;
  const open = new Set(reply.questions.map((question) => question.id));
  for (const id of [...waiting.keys()]) if (!open.has(id)) end(id, "decided");
  reply.questions.forEach(add);
}

events.addEventListener("question", ({ detail }) => {
  received += 1;
  skew = detail.now - Date.now() / 1000;
  if (detail.state === "asked") add(detail);
  else end(detail.id, detail.state, detail.who);
});
events.addEventListener("hello", () => read().catch(() => { /* the next hello reads again */ }));
