// The frame: tabs, one module for each, loaded when it is first opened.
// A page's module exports open(main): it fills that element and returns a function that ends it.
import { el, enter, events, get, leave, listen, say } from "./api.js";

const PAGES = ["phone", "timeline", "approvals", "tokens", "settings", "apps", "doctor"];
const main = document.getElementById("main");
const line = document.getElementById("line");
const badge = document.getElementById("waiting");
const asked = document.getElementById("asked");
let close = () => {};
let turn = 0;

function page() {
  const name = location.hash.replace(/^#\//, "").split(/[/?]/)[0];
  return PAGES.includes(name) ? name : "phone";
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
  // Its own place: what a page that was left adds late goes nowhere.
  const stage = el("div", { class: "stage" });
  main.replaceChildren(stage);
  main.className = `page-${name}`;
  try {
    const module = await import(`./${name}.js`);
    if (mine !== turn) return;
    const end = await module.open(stage);
    if (mine === turn) close = end ?? (() => {});
    else end?.();
  } catch (problem) {
    if (mine === turn) stage.replaceChildren(el("p", { class: "problem", role: "alert" }, problem.message));
  }
  title();
}

// Questions that wait, for the badge and the title: wherever the person is in the console.
const waiting = new Map();

function title() {
  const name = page(), count = waiting.size;
  const plain = `${name[0].toUpperCase()}${name.slice(1)} · Handheld`;
  document.title = count ? `(${count}) Asked · ${plain}` : plain;
  badge.hidden = count === 0;
  badge.textContent = String(count);
  badge.setAttribute("aria-label", `${count} waiting`);
  const first = waiting.values().next().value;
  asked.hidden = !first || name === "approvals";
  if (first) {
    asked.replaceChildren(
      `${first.client || first.token || "An agent"} asks for ${first.tool}. `,
      el("a", { href: "#/approvals" }, "Decide"),
    );
  }
}

events.addEventListener("hello", async () => {
  try {
    const { questions } = await get("questions");
    waiting.clear();
    for (const one of questions) waiting.set(one.id, one);
    title();
  } catch { /* the next hello tells */ }
});
events.addEventListener("question", ({ detail }) => {
  if (detail.state === "asked") {
    waiting.set(detail.id, detail);
    say(`A question waits: ${detail.tool}`);
  } else waiting.delete(detail.id);
  title();
});

document.getElementById("leave").addEventListener("click", () => leave().catch((problem) => {
  line.textContent = problem.message;
}));

async function begin() {
  if (location.hash.startsWith("#login=")) {
    try {
      await enter();
    } catch (problem) {
      line.textContent = problem.message;
    }
    location.hash = "#/phone";
  }
  addEventListener("hashchange", show);
  show();
  listen((up) => {
    line.textContent = up ? "Connected" : "The server does not answer; trying again …";
    line.classList.toggle("down", !up);
  });
}

begin();
