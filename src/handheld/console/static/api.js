// What all pages share: requests, events, elements. Text goes into the page as text alone.

const PROOF = "handheld-proof";
const NAME = "handheld-name";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(method, path, body, signal) {
  const headers = { "X-Handheld-Console": localStorage.getItem(PROOF) ?? "" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, {
      method, headers, signal, cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refused(0, "The server does not answer. It may have been stopped.");
  }
  if (answer.ok) return answer;
  let message = `The server answered ${answer.status}.`;
  try {
    message = (await answer.json()).message ?? message;
  } catch { /* it said nothing more */ }
  if (answer.status === 401) location.replace("/console/login");
  throw new Refused(answer.status, message);
}

// JSON of a route below /console/api.
export async function get(path, signal) {
  return (await ask("GET", `/console/api/${path}`, undefined, signal)).json();
}

export async function post(path, body = {}, signal) {
  return (await ask("POST", `/console/api/${path}`, body, signal)).json();
}

// The answer itself: pictures, downloads.
export function fetchRaw(path, signal) {
  return ask("GET", `/console/api/${path}`, undefined, signal);
}

// Exchange the secret in the address for a session.
export async function enter() {
  const secret = location.hash.slice("#login=".length);
  history.replaceState(null, "", location.pathname);
  const answer = await ask("POST", "/console/login", { secret });
  const { proof, name } = await answer.json();
  localStorage.setItem(PROOF, proof);
  localStorage.setItem(NAME, name);
}

// What others are told that this console is called.
export const ownName = () => localStorage.getItem(NAME);

export async function leave() {
  await ask("POST", "/console/logout", {});
  localStorage.removeItem(PROOF);
  location.replace("/console/login");
}

// Draw a picture of the server's onto a canvas. False where there is none.
export async function draw(canvas, path, signal) {
  let answer;
  try {
    answer = await fetchRaw(path, signal);
  } catch (problem) {
    if (problem.status === 404) return false;
    throw problem;
  }
  if (!answer.headers.get("content-type").startsWith("image/")) return false;
  paint(canvas, await createImageBitmap(await answer.blob()));
  return true;
}

export function paint(canvas, bitmap) {
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
  }
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
}

// An element: properties that begin with "on" are listeners, "class" is its class, others are
// attributes; children are elements or text.
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

// Say something to screen readers.
export function say(text) {
  document.getElementById("said").textContent = text;
}

// "hello", "call", "question": server-sent events, as events of this object with `detail`.
export const events = new EventTarget();

export async function listen(told) {
  let pause = 500;
  for (;;) {
    try {
      const answer = await ask("GET", "/console/events");
      told(true);
      pause = 500;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        for (const part of parts) tell(part);
      }
    } catch (problem) {
      if (problem.status === 401) return;
    }
    told(false);
    await new Promise((then) => setTimeout(then, pause));
    pause = Math.min(pause * 2, 10000);
  }
}

function tell(part) {
  const found = /^event: (\w+)\ndata: (.*)$/s.exec(part);
  if (found) events.dispatchEvent(new CustomEvent(found[1], { detail: JSON.parse(found[2]) }));
}
