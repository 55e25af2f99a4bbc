// A call, in a list and in detail.
import { el } from "./api.js";
import { foreign, plain } from "./components.js";
import { callerName, clock, day, describeElement, duration, formatArguments, moment, stateLabel } from "./format.js";

export const callCells = (call, summary) => [
  el("span", { class: "time mono" }, moment(call.at)),
  el("span", { class: call.person ? "who person" : "who" }, foreign(callerName(call))),
  el("span", { class: "tool" }, foreign(call.tool)),
  el("span", { class: "args mono" }, foreign(formatArguments(call).slice(0, 300))),
  el("span", { class: `state ${call.state}` }, stateLabel(call.state)),
  el("span", { class: "took mono" }, duration(call.milliseconds)),
  summary ? el("span", { class: "summary" }, foreign(summary)) : null];

export function callDetails(call, pictures = null) {
  const fact = (name, value) => value ? [el("dt", {}, name), el("dd", {}, plain(value))] : [];
  const bad = call.state === "failed" || call.state === "denied";
  return [
    el("div", { class: "row" }, el("h3", {}, plain(call.tool)), el("span", { class: `state ${call.state}` }, stateLabel(call.state)), el("span", { class: "soft mono" }, `#${call.id}`)),
    call.note ? el("p", { class: "notice" }, plain(call.note)) : "",
    el("dl", {},
      ...fact("Caller", `${callerName(call)}${call.person ? ` (${call.client})` : ""}`), ...fact("Token", call.token), ...fact("Through", call.door),
      ...fact("Host", call.host), ...fact("Phone", call.phone), ...fact("When", `${day(call.at)} ${clock(call.at)}`), ...fact("Duration", duration(call.milliseconds))),
    pictures ?? "",
    el("h3", {}, "Arguments"), Object.keys(call.arguments).length ? el("pre", { tabindex: "0" }, plain(JSON.stringify(call.arguments, null, 2))) : el("p", { class: "soft" }, "None"),
    ...elementFacts(call),
    el("h3", {}, bad ? "Error" : "Result"),
    ...(call.result.length ? call.result.map((part) => el("pre", { tabindex: "0", class: bad ? "bad" : null }, plain(part))) : [el("p", { class: "soft" }, call.state === "running" ? "Still running." : "None")])];
}

function elementFacts(call) {
  const ids = Object.entries(call.elements ?? {});
  if (!ids.length) return [];
  return [el("h3", {}, ids.length > 1 ? "Elements" : "Element"),
    el("dl", {}, ...ids.flatMap(([id, element]) => [el("dt", { class: "mono" }, id), el("dd", {}, plain([describeElement(element), element.resource_id].filter(Boolean).join(" · ")))]))];
}
