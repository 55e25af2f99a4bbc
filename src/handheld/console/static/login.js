// Exchanges a one-time link for a session.
import { logIn } from "./api.js";
import { formatMessage } from "./components.js";

const status = document.getElementById("status");

async function begin() {
  if (location.hash === "#ended") {
    history.replaceState(null, "", location.pathname);
    status.textContent = "You are no longer logged in: a session lasts 12 hours, and ends when you log out or the server stops.";
  }
  if (!location.hash.startsWith("#login=")) return;
  status.className = "";
  status.textContent = "Logging in …";
  try {
    await logIn();
    location.replace("/#/");
    if (location.pathname === "/") location.reload();
  } catch (problem) {
    status.className = "problem";
    status.replaceChildren(...formatMessage(problem.message));
  }
}

addEventListener("hashchange", begin);
begin();
