// Pending questions, shown in the badge, the title and a banner on every page.
import { announce, el, events } from "./api.js";
import { foreign, secondsLeft } from "./components.js";
import { page } from "./frame.js";
import { now, waiting } from "./questions.js";

const badge = document.getElementById("waiting");
const banner = document.getElementById("banner");
const left = el("span", { "aria-hidden": "true" });
let shown = null;

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

events.addEventListener("page", title);
events.addEventListener("asked", ({ detail }) => {
  announce(`Approval needed: ${detail.tool}`);
  title();
});
events.addEventListener("ended", title);
