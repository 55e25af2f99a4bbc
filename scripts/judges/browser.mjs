// Debian's Chromium, driven step by step: a line of JSON in, a line of JSON out.
//
//   {"id": 1, "open": {viewport, colorScheme, …}, "origin": "http://127.0.0.1:8080"}
//   {"id": 2, "page": 1, "steps": [["getByRole", "button", {"name": "Save"}], ["click"]]}
//   {"id": 3, "page": 1, "evaluate": "([a, b]) => a + b", "with": [1, 2]}
//   {"id": 3, "page": 1, "until": "(a) => a > 1", "with": 1}
//   {"id": 4, "page": 1, "noted": true}    the problems on the page so far
//   {"id": 5, "page": 1, "close": true}
//
// Requests to any other origin are blocked and noted. Pages with the same "session" share cookies.

import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";

const browser = await chromium.launch({
  executablePath: process.argv[2],
  timeout: 300_000,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
  ],
});
const pages = new Map();
const sessions = new Map();

async function context({ session, origin, open: options }) {
  if (sessions.has(session)) return sessions.get(session);
  const made = await browser.newContext({ ...options, serviceWorkers: "block" });
  await made.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  if (session) sessions.set(session, made);
  return made;
}

async function open(asked) {
  const page = await (await context(asked)).newPage();
  const noted = [];
  page.setDefaultTimeout(300_000);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) noted.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (problem) => noted.push(`uncaught: ${problem.message}`));
  page.on("dialog", (dialog) => {
    noted.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.route("**/*", (route) => {
    const url = route.request().url();
    if (url.startsWith(`${asked.origin}/`)) return route.continue();
    noted.push(`request: ${url}`);
    return route.abort();
  });
  pages.set(asked.id, { page, noted });
  return asked.id;
}

// Polled from here: the page's policy forbids the script that Playwright would inject.
async function until(page, happened, given) {
  for (const end = Date.now() + 300_000; Date.now() < end; await pause(20)) {
    if (await page.evaluate(happened, given).catch(() => false)) return null;
  }
  throw new Error(`This did not happen: ${happened}`);
}

async function run(asked) {
  if (asked.open) return open(asked);
  const { page, noted } = pages.get(asked.page);
  if (asked.noted) return noted.splice(0);
  if (asked.close) {
    pages.delete(asked.page);
    const made = page.context();
    await page.close();
    if (made.pages().length === 0) await made.close();
    return null;
  }
  // The code comes from a test, not from the page.
  if (asked.until) return until(page, eval(asked.until), asked.with);
  if (asked.evaluate) return page.evaluate(eval(asked.evaluate), asked.with);
  let value = page;
  for (const [name, ...given] of asked.steps) {
    const member = value[name];
    value = typeof member === "function" ? await member.apply(value, given) : member;
  }
  return ["string", "number", "boolean"].includes(typeof value) || Array.isArray(value) ? value : null;
}

const answer = (reply) => process.stdout.write(`${JSON.stringify(reply)}\n`);
answer({ ready: browser.version() });
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  run(asked).then(
    (value) => answer({ id: asked.id, value: value ?? null }),
    (problem) => answer({ id: asked.id, problem: problem.message }),
  );
}
await browser.close();
