// The frame: tabs, and a module for each page. A module exports open(main), which fills that element
// and returns a function that closes the page.
import { announce, el, events, listen, logIn, logOut } from "./api.js";
import * as approvals from "./approvals.js";
import * as apps from "./apps.js";
import * as doctor from "./doctor.js";
import { foreign, problem, secondsLeft } from "./components.js";
import { stopControl } from "./held.js";
import * as phone from "./phone.js";
import { now, waiting } from "./questions.js";
import * as settings from "./settings.js";
import * as steps from "./steps.js";
import * as timeline from "./timeline.js";
import * as tokens from "./tokens.js";

const PAGES = { phone, timeline, approvals, tokens, settings, apps, steps, doctor };
const main = document.getElementById("main");
const connection = document.getElementById("connection");
const badge = document.getElementById("waiting");
const banner = document.getElementById("banner");
let closePage = () => {};
let turn = 0, failed = false;

function page() {
  const name = location.hash.replace(/^#\//, "").split(/[/?]/)[0];
  return Object.hasOwn(PAGES, name) ? name : "phone";
}

async function show() {
  if (location.hash === "#main") return;
  const name = page(), current = ++turn;
  for (const link of document.querySelectorAll("#tabs a")) {
    if (link.hash === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  closePage();
  closePage = () => {};
  failed = false;
  // Each page has its own element, so that late additions of a closed page go nowhere.
  const stage = el("div", { class: "stage" });
  main.replaceChildren(stage);
  main.className = `page-${name}`;
  title();
  try {
    const dispose = await PAGES[name].open(stage);
    if (current === turn) closePage = dispose ?? (() => {});
    else dispose?.();
  } catch (failure) {
    if (current !== turn) return;
    failed = true;
    stage.replaceChildren(problem(failure.message));
  }
}

// Pending questions, shown in the badge, the title and a banner on every page.
let shown = null;
const left = el("span", { "aria-hidden": "true" });

function title() {
  const name = page(), count = waiting.size;
  const plain = `${name[0].toUpperCase()}${name.slice(1)} · Handheld`;
  document.title = count ? `(${count}) Approval · ${plain}` : plain;
  badge.hidden = count === 0;
  badge.textContent = String(count);
  badge.setAttribute("aria-label", `${count} waiting`);
  const first = waiting.values().next().value;
  banner.hidden = !first || name === "approvals";
  if (first && shown !== `${first.id} ${count}`) {
    shown = `${first.id} ${count}`;
    banner.replaceChildren(
      el("span", { class: "what" }, foreign(first.client || first.token || "An agent"), " wants to call ", el("code", {}, foreign(first.tool)), count > 1 && `, and ${count - 1} more`),
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
  announce(`Approval needed: ${detail.tool}`);
  title();
});
events.addEventListener("ended", title);

document.getElementById("stop").append(stopControl("", "Stop all agents"));

document.getElementById("log-out").addEventListener("click", () => logOut().catch((failure) => {
  connection.textContent = failure.message;
}));

// A login link opened in a window that already shows the console.
async function logInFromLink() {
  let message = "";
  try {
    await logIn();
  } catch (failure) {
    message = failure.message;
  }
  history.replaceState(null, "", "#/phone");
  await show();
  if (message) main.prepend(problem(message));
}

function route() {
  if (location.hash.startsWith("#login=")) logInFromLink();
  else show();
}

addEventListener("hashchange", route);
route();
listen((up) => {
  connection.textContent = up ? "Connected" : "The server does not answer; trying again …";
  connection.classList.toggle("down", !up);
});
