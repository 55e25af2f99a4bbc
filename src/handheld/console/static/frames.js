// The phone's screen on a canvas, frame by frame.
import { el, fetchRaw, paint } from "./api.js";
import { formatMessage } from "./components.js";

// The picture, with a message over it when it is not current.
export function pane(kind, canvas, ...more) {
  const over = el("p", { class: "over", role: "status", hidden: true });
  const glass = el("div", { class: `glass ${kind}` }, canvas, ...more, over);
  return [glass, (message, stale) => {
    glass.classList.toggle("stale", stale);
    over.hidden = !message;
    over.replaceChildren(...formatMessage(message));
  }];
}

export function sleep(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

export function visible(signal) {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

// Keep a canvas in step with the phone's screen. Nothing is requested while the page is hidden.
export async function follow(serial, canvas, { size, rate, wait, seen, failed }, signal) {
  let after = "", hidden = new AbortController();
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return;
    hidden.abort();
    hidden = new AbortController();
  }, { signal });
  const path = `phones/${encodeURIComponent(serial)}/frame?size=${size}&within=${wait}`;
  while (!signal.aborted) {
    await visible(signal);
    const began = performance.now();
    try {
      const response = await fetchRaw(path + after, AbortSignal.any([signal, hidden.signal]));
      const picture = response.headers.get("content-type").startsWith("image/");
      const frame = picture ? JSON.parse(response.headers.get("x-frame")) : await response.json();
      if (picture) {
        paint(canvas, await createImageBitmap(await response.blob()));
        seen(frame);
      }
      after = `&after=${frame.changes}`;
      await sleep(1000 / rate() - (performance.now() - began), signal);
    } catch (problem) {
      if (signal.aborted) return;
      if (problem.name === "AbortError") continue;
      after = "";
      failed(problem.message);
      await sleep(2000, signal);
    }
  }
}
