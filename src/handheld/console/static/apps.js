// The phone's own apps that offer tools: approved, withdrawn, revoked.
import { el, get, post, say } from "./api.js";
import { askingButton, plain, problem } from "./parts.js";

const STANDING = {
  approved: ["good", "Approved"],
  new: ["warn", "Not approved yet"],
  changed: ["bad", "Withdrawn: it has changed"],
  revoked: ["", "Revoked"],
};
const TRUST = {
  "first-use": "An app is approved as it is first seen, and withdrawn when it changes.",
  ask: "An app's tools are listed once they are approved here.",
  off: "No app's tools are listed: the setting apps.trust is off.",
};
const WHAT = { new: "New", changed: "Changed", gone: "Gone" };

export async function open(main) {
  const again = el("button", { type: "button" }, "Ask the phones again");
  const state = el("span", { class: "soft", role: "status" });
  const list = el("div", { class: "stack" });
  main.append(el("h2", {}, "App tools"), el("p", { class: "soft" }, "Apps on the phone can offer tools of their own. They are strangers: an app is pinned by who signed it and what it declares."),
    el("div", { class: "row" }, again, state), list);

  async function refresh(look) {
    again.disabled = true;
    state.textContent = look ? "Asking …" : "";
    try {
      const told = await get(look ? "apps?look=1" : "apps");
      state.textContent = TRUST[told.trust];
      list.replaceChildren(
        ...(told.note ? [el("p", { class: "notice" }, told.note)] : []),
        ...told.phones.filter((one) => one.apps.length).map((one) => phone(one, () => refresh(false))));
      if (!told.phones.some((one) => one.apps.length)) {
        list.append(el("p", { class: "card" }, "No app that offers tools has been seen."));
      }
    } catch (failure) {
      state.textContent = "";
      list.replaceChildren(problem(failure.message));
    }
    again.disabled = false;
  }
  again.addEventListener("click", () => refresh(true));
  await refresh(false);
}

function phone({ phone, slug, apps }, refresh) {
  return el("section", { class: "stack" },
    el("h3", {}, "On ", plain(slug ? `${slug} (${phone})` : phone)),
    apps.map((one) => app(phone, one, refresh)));
}

function app(phone, one, refresh) {
  const [kind, words] = STANDING[one.standing];
  const send = async (what, said, body) => {
    await post(`apps/${encodeURIComponent(one.package)}/${what}`, body);
    say(`${one.package} is ${said}.`);
    await refresh();
  };
  const approve = () => send("approve", "approved", { phone, seen: one.seen });
  return el("article", { class: "card app" },
    el("div", { class: "row" },
      el("h4", {}, plain(one.label || one.package)),
      el("span", { class: `tag ${kind}` }, words),
      !one.present && el("span", { class: "tag" }, "Gone, or offers nothing now")),
    el("p", { class: "soft mono" }, plain(one.package)),
    one.change && el("div", { class: "notice" },
      el("p", {}, `Since it was approved: ${one.change}.`),
      one.changes.length > 0 && el("ul", {}, one.changes.map(({ part, what }) =>
        el("li", {}, `${WHAT[what]}: `, el("code", {}, plain(part))))),
      one.signer !== one.approved_signer && el("dl", { class: "pairs" },
        el("dt", {}, "Approved signer"), el("dd", { class: "mono" }, one.approved_signer || "unknown"),
        el("dt", {}, "Signer now"), el("dd", { class: "mono" }, one.signer || "unknown"))),
    one.tools.length
      ? el("details", {}, el("summary", {}, `${one.tools.length} ${one.tools.length === 1 ? "tool" : "tools"}${one.present ? "" : " when it was last seen"}`),
        el("ul", { class: "names" }, one.tools.map((name) => el("li", {}, el("code", {}, plain(name))))))
      : one.present && el("p", { class: "soft" }, "It offers no tools now."),
    !one.change && one.signer && el("details", {}, el("summary", {}, "Signed by"), el("p", { class: "mono" }, one.signer)),
    one.problems.length > 0 && el("div", { class: "warned" }, el("p", {}, "What is wrong with what it declares:"),
      el("ul", {}, one.problems.map((text) => el("li", {}, plain(text))))),
    el("div", { class: "row" },
      one.standing !== "approved" && askingButton(
        one.standing === "changed" ? "Approve as it is now" : "Approve",
        "List its tools to agents?", "Yes, approve", approve, "main"),
      one.standing !== "revoked" && askingButton("Revoke", "Take its tools away?", "Yes, revoke",
        () => send("revoke", "revoked", { phone }))));
}
