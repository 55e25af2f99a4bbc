// Exchanges a one-time link for a session.
import { enter } from "./api.js";
import { worded } from "./parts.js";

const status = document.getElementById("status");

async function begin() {
  if (location.hash === "#ended") {
    history.replaceState(null, "", location.pathname);
    status.textContent = "You are not logged in any more: a session lasts 12 hours, and ends when you log out or the server stops.";
  }
  if (!location.hash.startsWith("#login=")) return;
  status.className = "";
  status.textContent = "Logging in …";
  try {
    await enter();
    location.replace("/#/phone");
    if (location.pathname === "/") location.reload();
  } catch (problem) {
    status.className = "problem";
    status.replaceChildren(...worded(problem.message));
  }
}

addEventListener("hashchange", begin);
begin();
