// Apps on the phones that declare tools: approved, found, withdrawn, revoked.
import { announce, el, get, post } from "./api.js";
import { confirmButton, plain, problem } from "./components.js";

const STANDING = {
  approved: ["good", "Approved"],
  ours: ["good", "Part of the virtual phone"],
  found: ["", "Found"],
  later: ["warn", "Came later"],
  new: ["warn", "Not approved yet"],
  changed: ["bad", "Withdrawn: it has changed"],
  revoked: ["", "Revoked"],
};
const TRUST = {
  "first-use": "Apps are listed when first discovered, and withdrawn when they change. You are asked about their tools until you approve the app.",
  ask: "An app's tools are listed after you approve the app here.",
  off: "App tools are not listed: the setting apps.trust is off.",
};
const WHAT = { new: "New", changed: "Changed", gone: "Removed" };

export async function open(main) {
  const refreshButton = el("button", { type: "button" }, "Refresh from phones");
  const state = el("span", { class: "soft", role: "status" });
  const list = el("div", { class: "stack" });
  main.append(el("h2", {}, "App tools"), el("p", { class: "soft" }, "Apps on the phone can declare tools. They are not trusted: an app is pinned to its signer and its declarations."),
    el("div", { class: "row" }, refreshButton, state), list);

  async function refresh(discover) {
    refreshButton.disabled = true;
    state.textContent = discover ? "Asking the phones …" : "";
    try {
      const data = await get(discover ? "apps?look=1" : "apps");
      state.textContent = TRUST[data.trust];
      list.replaceChildren(
        ...(data.note ? [el("p", { class: "notice" }, data.note)] : []),
        ...data.phones.filter((phone) => phone.apps.length).map((phone) => phoneSection(phone, () => refresh(false))));
      if (!data.phones.some((phone) => phone.apps.length)) {
        list.append(el("p", { class: "card" }, "No app that declares tools has been discovered."));
      }
    } catch (failure) {
      state.textContent = "";
      list.replaceChildren(problem(failure.message));
    }
    refreshButton.disabled = false;
  }
  refreshButton.addEventListener("click", () => refresh(true));
  await refresh(false);
}

function phoneSection({ phone, slug, apps }, refresh) {
  return el("section", { class: "stack" },
    el("h3", {}, "On ", plain(slug ? `${slug} (${phone})` : phone)),
    apps.map((record) => app(phone, record, refresh)));
}

function app(phone, record, refresh) {
  const [kind, label] = STANDING[record.standing];
  const send = async (what, outcome, body) => {
    await post(`apps/${encodeURIComponent(record.package)}/${what}`, body);
    announce(`${record.package} is ${outcome}.`);
    await refresh();
  };
  const approve = () => send("approve", "approved", { phone, seen: record.seen });
  return el("article", { class: "card app" },
    el("div", { class: "row" },
      el("h4", {}, plain(record.label || record.package)),
      el("span", { class: `tag ${kind}` }, label),
      !record.present && el("span", { class: "tag" }, "Removed, or declares no tools now")),
    el("p", { class: "soft mono" }, plain(record.package)),
    record.change && el("div", { class: "notice" },
      el("p", {}, `It has changed: ${record.change}.`),
      record.changes.length > 0 && el("ul", {}, record.changes.map(({ part, what }) =>
        el("li", {}, `${WHAT[what]}: `, el("code", {}, plain(part))))),
      record.signer !== record.pinned_signer && el("dl", { class: "pairs" },
        el("dt", {}, "Signer before"), el("dd", { class: "mono" }, record.pinned_signer || "unknown"),
        el("dt", {}, "Signer now"), el("dd", { class: "mono" }, record.signer || "unknown"))),
    record.tools.length
      ? el("details", {}, el("summary", {}, `${record.tools.length} ${record.tools.length === 1 ? "tool" : "tools"}${record.present ? "" : " when last seen"}`),
        el("ul", { class: "names" }, record.tools.map((name) => el("li", {}, el("code", {}, plain(name))))))
      : record.present && el("p", { class: "soft" }, "It declares no tools now."),
    !record.change && record.signer && el("details", {}, el("summary", {}, "Signed by"), el("p", { class: "mono" }, record.signer)),
    record.problems.length > 0 && el("div", { class: "warned" }, el("p", {}, "Problems in its declaration:"),
      el("ul", {}, record.problems.map((text) => el("li", {}, plain(text))))),
    el("div", { class: "row" },
      !["approved", "ours"].includes(record.standing) && (record.tools.length > 0 || !record.problems.length) && confirmButton(
        record.standing === "changed" ? "Approve its present state" : "Approve",
        "Let agents use its tools without asking you?", "Yes, approve", approve, "main"),
      record.standing !== "revoked" && confirmButton("Revoke", "Withdraw its tools?", "Yes, revoke",
        () => send("revoke", "revoked", { phone }))));
}
