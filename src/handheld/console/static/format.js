// Calls as text.
import { plain } from "./components.js";

const STATES = { running: "running", done: "done", failed: "failed", denied: "denied", unknown: "outcome unknown" };

export const stateLabel = (state) => STATES[state] ?? state;

export function callerName(call) {
  if (call.person) return call.host === undefined ? "You" : "A person"; // at a host's console
  if (!call.client) return call.token ? `token ${call.token}` : call.door;
  // A client chooses its own name, but only the owner chooses a token's.
  return call.token && call.token !== "owner" ? `${call.client} (${call.token})` : call.client;
}

// An element in words.
export function describeElement(element) {
  const kind = (element.class_name ?? "").split(".").pop();
  const name = element.text ?? element.description ?? (element.resource_id ?? "").split("/").pop();
  return [name && `“${name}”`, kind].filter(Boolean).join(" ");
}

export function formatArguments(call) {
  const format = (value) => {
    if (typeof value !== "string") return JSON.stringify(value);
    const element = call.elements?.[value];
    return element ? describeElement(element) || value : value;
  };
  return Object.entries(call.arguments).map(([key, value]) => `${key}: ${format(value)}`).join(", ");
}

export function duration(ms) {
  if (ms === null || ms === undefined) return "";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}

// The time, with the date unless it is today.
export function moment(seconds) {
  const then = new Date(seconds * 1000);
  if (then.toDateString() === new Date().toDateString()) return clock(seconds);
  return `${then.toLocaleDateString([], { month: "short", day: "numeric" })} ${clock(seconds)}`;
}

export function describeCall(call) {
  const args = formatArguments(call);
  return [`${clock(call.at)} `, plain(callerName(call)), ": ", plain(call.tool),
    ...(args ? [" (", plain(args.length > 80 ? `${args.slice(0, 80)}…` : args), ")"] : []), ` · ${stateLabel(call.state)}`];
}

export function day(seconds) {
  return new Date(seconds * 1000).toLocaleDateString([], { year: "numeric", month: "short", day: "numeric" });
}
