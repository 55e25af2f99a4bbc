// Calls in words.

const STATES = { running: "running", done: "done", failed: "failed", denied: "denied", unknown: "ended unseen" };

export const stateWord = (state) => STATES[state] ?? state;

export function who(call) {
  if (call.person) return "You";
  return call.client || call.token || call.door;
}

export function brief(args) {
  return Object.entries(args).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
}

export function duration(ms) {
  if (ms === null || ms === undefined) return "";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}

// With the day, where it is not today.
export function moment(seconds) {
  const then = new Date(seconds * 1000);
  if (then.toDateString() === new Date().toDateString()) return clock(seconds);
  return `${then.toLocaleDateString([], { month: "short", day: "numeric" })} ${clock(seconds)}`;
}

export function describe(call) {
  const args = brief(call.arguments);
  return `${clock(call.at)} ${who(call)}: ${call.tool}${args ? ` (${args.length > 80 ? `${args.slice(0, 80)}…` : args})` : ""} · ${stateWord(call.state)}`;
}

export function day(seconds) {
  return new Date(seconds * 1000).toLocaleDateString([], { year: "numeric", month: "short", day: "numeric" });
}
