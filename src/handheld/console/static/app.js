// The frame: tabs, and a module for each. It exports open(main), which fills that element and
// returns a function that ends it.
import { el, enter, events, leave, listen, say } from "./api.js";
import * as approvals from "./approvals.js";
import * as apps from "./apps.js";
import * as doctor from "./doctor.js";
import { foreign, problem, secondsLeft } from "./parts.js";
import * as phone from "./phone.js";
import { now, waiting } from "./questions.js";
import * as settings from "./settings.js";
import * as timeline from "./timeline.js";
import * as tokens from "./tokens.js";

const PAGES = { phone, timeline, approvals, tokens, settings, apps, doctor };
const main = document.getElementById("main");
const line = document.getElementById("line");
const badge = document.getElementById("waiting");
const asked = document.getElementById("asked");
let close = () => {};
let turn = 0, failed = false;

function page() {
  const name = location.hash.replace(/^#\//, "").split(/[/?]/)[0];
  return Object.hasOwn(PAGES, name) ? name : "phone";
}

async function show() {
  if (location.hash === "#main") return;
  const name = page(), mine = ++turn;
  for (const link of document.querySelectorAll("#tabs a")) {
    if (link.hash === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  close();
  close = () => {};
  failed = false;
  // Its own place: what a page that was left adds late goes nowhere.
  const stage = el("div", { class: "stage" });
  main.replaceChildren(stage);
  main.className = `page-${name}`;
  title();
  try {
    const end = await PAGES[name].open(stage);
    if (mine === turn) close = end ?? (() => {});
    else end?.();
  } catch (failure) {
    if (mine !== turn) return;
    failed = true;
    stage.replaceChildren(problem(failure.message));
  }
}

// Questions that wait, in the badge and the title: wherever the person is in the console.
let shown = null;
const left = el("span", { "aria-hidden": "true" });

function title() {
  const name = page(), count = waiting.size;
  const plain = `${name[0].toUpperCase()}${name.slice(1)} · Handheld`;
  document.title = count ? `(${count}) Asked · ${plain}` : plain;
  badge.hidden = count === 0;
  badge.textContent = String(count);
  badge.setAttribute("aria-label", `${count} waiting`);
  const first = waiting.values().next().value;
  asked.hidden = !first || name === "approvals";
  if (first && shown !== `${first.id} ${count}`) {
    shown = `${first.id} ${count}`;
    asked.replaceChildren(
      el("span", { class: "what" }, foreign(first.client || first.token || "An agent"), " asks for ", el("code", {}, foreign(first.tool)), count > 1 && `, and ${count - 1} more`),
      left, el("a", { href: "#/approvals" }, "Decide"));
  }
  tick();
}

function tick() {
  const first = waiting.values().next().value;
  if (first) left.textContent = secondsLeft(first.until - now());
}
setInterval(tick, 500);

events.addEventListener("hello", () => { if (failed) show(); });
events.addEventListener("asked", ({ detail }) => {
  say(`A question waits: ${detail.tool}`);
  title();
});
events.addEventListener("ended", title);

document.getElementById("leave").addEventListener("click", () => leave().catch((failure) => {
  line.textContent = failure.message;
}));

// A link that was opened in a window which is open already.
async function logIn() {
  let words = "";
  try {
    await enter();
  } catch (failure) {
    words = failure.message;
  }
  history.replaceState(null, "", "#/phone");
  await show();
  if (words) main.prepend(problem(words));
}

function go() {
  if (location.hash.startsWith("#login=")) logIn();
  else show();
}

addEventListener("hashchange", go);
go();
listen((up) => {
  line.textContent = up ? "Connected" : "The server does not answer; trying again …";
  line.classList.toggle("down", !up);
});
