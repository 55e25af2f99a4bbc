// Steps that agents keep: list, edit, accept, remove.
import { announce, el, get, post } from "./api.js";
import { confirmButton, copyButton, form, moment, plain, problem } from "./components.js";

export async function open(main) {
  const list = el("div", { class: "stack" });
  main.append(el("h2", {}, "Kept steps"),
    el("p", { class: "soft" }, "Agents can keep steps that they have done, to do them again with one call. Each step is checked against your rules every time. Only you can change or remove them: if an agent keeps other steps under the name of accepted ones, they are only proposed."),
    list);

  async function refresh() {
    const data = await get("steps");
    list.replaceChildren(
      ...(data.problem ? [problem(data.problem)] : []),
      ...(data.off ? [el("p", { class: "notice" }, "Kept steps are not offered: the setting steps.off is set.")] : []),
      ...data.steps.map((steps) => card(steps, data.now, refresh)));
    if (!data.steps.length && !data.problem) list.append(el("p", { class: "card" }, "No steps are kept."));
  }
  await refresh();
}

function card(steps, now, refresh) {
  const send = async (what, outcome, body = {}) => {
    await post(`steps/${encodeURIComponent(steps.name)}/${what}`, { phone: steps.phone, ...body });
    announce(`${steps.name} was ${outcome}.`);
    await refresh();
  };
  const shared = !steps.by || steps.owned;
  return el("article", { class: "card" },
    el("div", { class: "row" },
      el("h3", {}, el("code", {}, plain(steps.usage))),
      steps.owned && el("span", { class: "tag good" }, "Accepted"),
      !shared && el("span", { class: "tag" }, "Only for ", plain(steps.by)),
      steps.proposal && el("span", { class: "tag warn" }, "Changes are proposed")),
    el("p", { class: "soft" }, plain(steps.origin || "–"), " · ",
      steps.phone ? plain(steps.phone) : "every phone", " · ", moment(steps.made, now)),
    steps.parameters.length > 0 && el("ul", {}, steps.parameters.map((line) => el("li", {}, plain(line)))),
    lines(steps.steps),
    steps.proposal && el("div", { class: "notice" },
      el("p", {}, "Proposed by ", plain(steps.proposed_by || "a client"), ", not used until you accept it:"),
      lines(steps.proposal)),
    editor(steps, send),
    el("div", { class: "row" },
      (steps.proposal || !steps.owned) && confirmButton(
        steps.proposal ? "Accept the proposal" : "Accept",
        "Let every client run these steps?", "Yes, accept", () => send("accept", "accepted", { seen: steps.seen }), "main"),
      confirmButton("Remove", "Remove these steps?", "Yes, remove", () => send("remove", "removed"))));
}

function lines(steps) {
  return el("ol", {}, steps.map((line) => el("li", {}, plain(line))));
}

function editor(steps, send) {
  const text = el("textarea", { rows: "12", spellcheck: "false", class: "mono", "aria-label": `Steps of ${steps.name} as JSON` });
  text.value = steps.text;
  return el("details", {}, el("summary", {}, "Edit"),
    form({ class: "form" }, () => send("edit", "changed", { seen: steps.text, text: text.value }),
      text,
      el("div", { class: "row" }, el("button", { class: "main" }, "Save"), copyButton(steps.text, "the steps"))));
}
