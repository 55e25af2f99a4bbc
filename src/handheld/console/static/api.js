// Shared by all pages: requests, events, elements. Text enters the page only as text.

const PROOF = "handheld-proof";
const NAME = "handheld-name";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The login in progress, if any. Its cookie arrives before the matching proof: a request sent in
// between would be rejected, and the person sent to the login page.
let loggingIn = Promise.resolve();

async function request(method, path, body, signal) {
  await loggingIn;
  return send(method, path, body, signal);
}

async function send(method, path, body, signal) {
  const proof = localStorage.getItem(PROOF) ?? "";
  const headers = { "X-Handheld-Console": proof };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {
      method, headers, signal, cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refused(0, "The server does not answer. It may have been stopped.");
  }
  if (response.ok) return response;
  let message = `The server answered ${response.status}.`;
  try {
    message = (await response.json()).message ?? message;
  } catch { /* the body is not JSON */ }
  if (response.status === 401) {
    if (await sessionReplaced(proof)) return send(method, path, body, signal);
    location.replace("/console/login#ended");
  }
  throw new Refused(response.status, message);
}

// Whether another window of this browser is logging in: its cookie arrives before its proof.
async function sessionReplaced(proof) {
  for (let tries = 0; tries < 10; tries++) {
    if ((localStorage.getItem(PROOF) ?? "") !== proof) return true;
    await new Promise((done) => setTimeout(done, 50));
  }
  return false;
}

// JSON from a route below /console/api.
export async function get(path, signal) {
  return (await request("GET", `/console/api/${path}`, undefined, signal)).json();
}

export async function post(path, body = {}, signal) {
  return (await request("POST", `/console/api/${path}`, body, signal)).json();
}

// The response itself, for pictures and downloads.
export function fetchRaw(path, signal) {
  return request("GET", `/console/api/${path}`, undefined, signal);
}

// Exchange the secret in the URL for a session.
export function logIn() {
  const exchange = exchangeLink();
  loggingIn = exchange.catch(() => {});
  return exchange;
}

async function exchangeLink() {
  const secret = location.hash.slice("#login=".length);
  history.replaceState(null, "", location.pathname);
  const response = await send("POST", "/console/login", { secret });
  const { proof, name } = await response.json();
  localStorage.setItem(PROOF, proof);
  localStorage.setItem(NAME, name);
}

// The name of this console, as other consoles show it.
export const ownName = () => localStorage.getItem(NAME);

export async function logOut() {
  await request("POST", "/console/logout", {});
  localStorage.removeItem(PROOF);
  location.replace("/console/login");
}

// Draw a picture from the server onto a canvas. Returns false if there is none.
export async function draw(canvas, path, signal) {
  let response;
  try {
    response = await fetchRaw(path, signal);
  } catch (problem) {
    if (problem.status === 404) return false;
    throw problem;
  }
  if (!response.headers.get("content-type").startsWith("image/")) return false;
  paint(canvas, await createImageBitmap(await response.blob()));
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

// Make an element: properties that begin with "on" are listeners, others are attributes; children
// are elements or text.
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

// Announce something to screen readers.
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

// The server's events, dispatched on this object with `detail`: "call", "question"; "others" when
// another process has recorded calls; "hello" whenever events may have been missed.
export const events = new EventTarget();

const WINDOWS = "handheld-events";

// A browser opens at most six connections to a server for all its windows. So one window listens and
// forwards the events to the others; when it closes or loses its connection, another takes over.
export async function listen(onConnection) {
  const receive = ({ kind, detail }) => {
    if (kind === "hello" || kind === "down") onConnection(kind === "hello");
    if (kind !== "down") events.dispatchEvent(new CustomEvent(kind, { detail }));
  };
  const shared = "locks" in navigator; // missing without TLS, from another computer
  const channel = shared ? new BroadcastChannel(WINDOWS) : null;
  const own = Math.random();
  let state = null; // set while this window is the one that listens
  const forward = (message) => {
    if (message.kind === "hello" || message.kind === "down") state = message;
    receive(message);
    channel?.postMessage(message);
  };
  if (shared) {
    channel.onmessage = ({ data }) => {
      if (data.from) {
        if (state) channel.postMessage({ ...state, to: data.from });
      } else if (!data.to || data.to === own) receive(data);
    };
    channel.postMessage({ from: own });
  }
  for (let pause = 500; ; pause = Math.min(pause * 2, 4000)) {
    const began = performance.now();
    const lead = () => receiveAll(forward).finally(() => { state = null; });
    if (await (shared ? navigator.locks.request(WINDOWS, lead) : lead())) return;
    if (performance.now() - began > 10000) pause = 500;
    await new Promise((then) => setTimeout(then, pause));
  }
}

const QUIET_MS = 40000; // the server sends something every 15 s; without it, this computer may have slept

// Forward events until the connection ends. Returns true if reconnecting is pointless.
async function receiveAll(forward) {
  const quiet = new AbortController();
  let timer = null;
  const onData = () => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), QUIET_MS);
  };
  onData();
  try {
    const response = await request("GET", "/console/events", undefined, quiet.signal);
    for await (const [kind, detail] of readEvents(response, onData)) forward({ kind, detail });
  } catch (problem) {
    if (problem.status === 401) return true;
  } finally {
    clearTimeout(timer);
  }
  forward({ kind: "down" });
  return false;
}

// Server-sent events, as pairs of kind and value; `onData` is called whenever data arrives.
export async function* readEvents(response, onData = () => {}) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onData();
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const found = /^event: (\w+)\ndata: (.*)$/s.exec(part);
      if (found) yield [found[1], JSON.parse(found[2])];
    }
  }
}
