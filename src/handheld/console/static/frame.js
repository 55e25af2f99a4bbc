// The frame: tabs, and a module for each page. A module exports open(main), which fills that element
// and returns a function that closes the page.
import { el, events, listen, logIn, logOut } from "./api.js";
import { problem } from "./components.js";

const main = document.getElementById("main");
const connection = document.getElementById("connection");
let pages = {};
let closePage = () => {};
let turn = 0, failed = false;

// The page on display: the first one unless the URL names another.
export function page() {
  const name = location.hash.replace(/^#\//, "").split(/[/?]/)[0];
  return Object.hasOwn(pages, name) ? name : Object.keys(pages)[0];
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
  // Each page has its own element, so late additions of a closed page go nowhere.
  const stage = el("div", { class: "stage" });
  main.replaceChildren(stage);
  main.className = `page-${name}`;
  events.dispatchEvent(new CustomEvent("page"));
  try {
    const dispose = await pages[name].open(stage);
    if (current === turn) closePage = dispose ?? (() => {});
    else dispose?.();
  } catch (failure) {
    if (current !== turn) return;
    failed = true;
    stage.replaceChildren(problem(failure.message));
  }
}

// A login link opened in a window that already shows the console.
async function logInFromLink() {
  let message = "";
  try {
    await logIn();
  } catch (failure) {
    message = failure.message;
  }
  history.replaceState(null, "", `#/${Object.keys(pages)[0]}`);
  await show();
  if (message) main.prepend(problem(message));
}

function route() {
  if (location.hash.startsWith("#login=")) logInFromLink();
  else show();
}

export function run(all) {
  pages = all;
  events.addEventListener("hello", () => { if (failed) show(); });
  document.getElementById("log-out").addEventListener("click", () => logOut().catch((failure) => {
    connection.textContent = failure.message;
  }));
  addEventListener("hashchange", route);
  route();
  listen((up) => {
    connection.textContent = up ? "Connected" : "The server does not answer; trying again …";
    connection.classList.toggle("down", !up);
  });
}
