// Named tokens: create, show once, revoke.
import { announce, el, get, post } from "./api.js";
import { check, confirmButton, copyButton, field, foreign, form, moment, problem, table } from "./components.js";

const SPANS = [["", "Never"], ["1d", "In a day"], ["1w", "In a week"], ["30d", "In 30 days"], ["90d", "In 90 days"], ["other", "Custom …"]];

export async function open(main) {
  const list = el("div", {}), secret = el("div", { "aria-live": "polite" }), formArea = el("div", {});
  main.append(
    el("h2", {}, "Tokens"),
    el("p", { class: "soft" }, "Give each agent or program its own token. The token limits what it may do, and the timeline shows which token made a call."),
    el("div", { class: "stack" }, secret, list, formArea),
  );

  async function refresh() {
    const data = await get("tokens");
    list.replaceChildren(tokenTable(data, refresh));
    return data;
  }
  const data = await refresh();
  if (data.kept) formArea.append(tokenForm(data, async (name, value) => {
    secret.replaceChildren(newSecret(name, value, () => secret.replaceChildren()));
    secret.querySelector("h3").focus();
    await refresh();
  }));
  else formArea.append(el("p", { class: "notice" }, "This server does not use named tokens."));
}

function tokenTable(data, refresh) {
  const rows = [el("tr", {},
    el("th", { scope: "row" }, "owner"),
    el("td", {}, "All"), el("td", {}, "All"), el("td", {}, "Everything"), el("td", {}, "Never"),
    el("td", {}, data.owner.last_use ? moment(data.owner.last_use, data.now) : "–"),
    el("td", { class: "soft" }, data.owner.asked ? "The server's own" : "Not required"))];
  for (const token of data.tokens) {
    rows.push(el("tr", { class: token.ended ? "ended" : "" },
      el("th", { scope: "row" }, foreign(token.name)),
      el("td", {}, token.toolsets.join(", ") || "All"),
      el("td", {}, token.phones.length ? foreign(token.phones.join(", ")) : "All"),
      el("td", {}, token.read_only ? "Read only" : "Read and act"),
      el("td", {}, token.expires === null ? "Never" : [
        token.ended && el("span", { class: "tag bad" }, "Expired"),
        token.near_end && el("span", { class: "tag warn" }, "Expires soon"), " ",
        moment(token.expires, data.now)]),
      el("td", {}, token.last_use ? moment(token.last_use, data.now) : "–"),
      el("td", {}, confirmButton("Revoke", `Revoke ${token.name} permanently?`, "Yes, revoke", async () => {
        await post(`tokens/${encodeURIComponent(token.name)}/revoke`);
        announce(`${token.name} was revoked.`);
        await refresh();
      }))));
  }
  return el("section", { class: "card" },
    data.problem && problem(data.problem),
    table("Tokens", ["Name", "Toolsets", "Phones", "Access", "Expires", "Last use", "Action"], rows));
}

function newSecret(name, value, done) {
  return el("section", { class: "card fresh" },
    el("h3", { tabindex: "-1" }, `The secret of ${name}`),
    el("p", {}, "It is shown only once. Give it to the program as its bearer token."),
    el("div", { class: "row" },
      el("code", { class: "secret" }, value), copyButton(value, "the secret"),
      el("button", { type: "button", class: "quiet", onclick: done }, "Done")));
}

function tokenForm(data, onMade) {
  const name = el("input", { required: true, maxlength: "32", pattern: "[a-z0-9][a-z0-9_.\\-]*", autocomplete: "off", spellcheck: "false", placeholder: "kitchen-agent" });
  const toolsets = data.toolsets.map((toolset) => [toolset, ...check(toolset)]);
  const phones = data.phones.map((phone) => [phone.name, ...check(foreign(`${phone.name}${phone.model ? ` (${phone.model})` : ""}`))]);
  const [readOnly, readOnlyBox] = check("Read only: no tools that change anything");
  const span = el("select", {}, SPANS.map(([value, words]) => el("option", { value }, words)));
  const other = el("input", { placeholder: "12h, 30d, 4w or 2030-12-31", autocomplete: "off" });
  const otherField = field("Expires after or on", other, "12h, 30d or 4w from now, or the last day");
  otherField.hidden = true;
  span.addEventListener("change", () => { otherField.hidden = span.value !== "other"; });
  const chosen = (all) => all.filter(([, , box]) => box.checked).map(([value]) => value);
  const all = form({ class: "card form" }, async () => {
    const { secret } = await post("tokens", {
      name: name.value, toolsets: chosen(toolsets), phones: chosen(phones),
      read_only: readOnlyBox.checked,
      expires: span.value === "other" ? other.value || "?" : span.value,
    });
    const given = name.value;
    all.reset();
    otherField.hidden = true;
    await onMade(given, secret);
  },
    el("h3", {}, "Create a token"),
    field("Name", name, "1 to 32 characters: a–z, 0–9, . _ -"),
    el("fieldset", {}, el("legend", {}, "Toolsets"), el("p", { class: "hint soft" }, "Leave all unchecked to allow all."),
      el("div", { class: "checks" }, toolsets.map(([, label]) => label))),
    el("fieldset", {}, el("legend", {}, "Phones"), el("p", { class: "hint soft" }, "Leave all unchecked to allow all, including phones added later."),
      el("div", { class: "checks" }, phones.length ? phones.map(([, label]) => label) : el("span", { class: "soft" }, "No phones are known."))),
    readOnly,
    el("div", { class: "row top" }, field("Expires", span), otherField),
    el("div", { class: "row" }, el("button", { class: "main" }, "Create")));
  return all;
}
