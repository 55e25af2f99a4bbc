// What all pages share: requests, events, elements. Text goes into the page as text alone.

const PROOF = "handheld-proof";
const NAME = "handheld-name";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// An exchange of a link for a session that is under way. Its cookie comes before the proof that
// belongs to it: what is asked in between would be refused, and the person shown the way out.
let entering = Promise.resolve();

async function ask(method, path, body, signal) {
  await entering;
  return send(method, path, body, signal);
}

async function send(method, path, body, signal) {
  const proof = localStorage.getItem(PROOF) ?? "";
  const headers = { "X-Handheld-Console": proof };
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
  if (answer.status === 401) {
    if (await replaced(proof)) return send(method, path, body, signal);
    location.replace("/console/login#ended");
  }
  throw new Refused(answer.status, message);
}

// Whether another window of this browser has a new session, whose cookie came before its proof.
async function replaced(proof) {
  for (let tries = 0; tries < 10; tries++) {
    if ((localStorage.getItem(PROOF) ?? "") !== proof) return true;
    await new Promise((done) => setTimeout(done, 50));
  }
  return false;
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
export function enter() {
  const exchange = exchangeLink();
  entering = exchange.catch(() => {});
  return exchange;
}

async function exchangeLink() {
  const secret = location.hash.slice("#login=".length);
  history.replaceState(null, "", location.pathname);
  const answer = await send("POST", "/console/login", { secret });
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

// What happens, as events of this object with `detail`: "call", "question"; "others", where another
// process has recorded calls; "hello", whenever something may have been missed.
export const events = new EventTarget();

const WINDOWS = "handheld-events";

// A browser has six connections to a server for all its windows. So one window listens, and passes on
// what it hears; when it is closed, or cannot listen any more, the next one does.
export async function listen(tell) {
  const hear = ({ kind, detail }) => {
    if (kind === "hello" || kind === "down") tell(kind === "hello");
    if (kind !== "down") events.dispatchEvent(new CustomEvent(kind, { detail }));
  };
  const shared = "locks" in navigator; // not without encryption, from another machine
  const channel = shared ? new BroadcastChannel(WINDOWS) : null;
  const own = Math.random();
  let state = null; // while this window is the one that listens
  const pass = (news) => {
    if (news.kind === "hello" || news.kind === "down") state = news;
    hear(news);
    channel?.postMessage(news);
  };
  if (shared) {
    channel.onmessage = ({ data }) => {
      if (data.asks) {
        if (state) channel.postMessage({ ...state, to: data.asks });
      } else if (!data.to || data.to === own) hear(data);
    };
    channel.postMessage({ asks: own });
  }
  for (let pause = 500; ; pause = Math.min(pause * 2, 4000)) {
    const began = performance.now();
    const lead = () => hearAll(pass).finally(() => { state = null; });
    if (await (shared ? navigator.locks.request(WINDOWS, lead) : lead())) return;
    if (performance.now() - began > 10000) pause = 500;
    await new Promise((then) => setTimeout(then, pause));
  }
}

const QUIET_MS = 40000; // the server says something every 15 s: this computer may have slept

// As long as the server talks. Whether there is no use in asking again.
async function hearAll(pass) {
  const quiet = new AbortController();
  let timer = null;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), QUIET_MS);
  };
  heard();
  try {
    const answer = await ask("GET", "/console/events", undefined, quiet.signal);
    for await (const [kind, detail] of told(answer, heard)) pass({ kind, detail });
  } catch (problem) {
    if (problem.status === 401) return true;
  } finally {
    clearTimeout(timer);
  }
  pass({ kind: "down" });
  return false;
}

// Server-sent events, as pairs of kind and value; `heard` is called whenever anything comes.
export async function* told(answer, heard = () => {}) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const found = /^event: (\w+)\ndata: (.*)$/s.exec(part);
      if (found) yield [found[1], JSON.parse(found[2])];
    }
  }
}
