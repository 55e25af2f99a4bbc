// Named tokens: made, shown once, revoked.
import { el, get, post, say } from "./api.js";
import { askingButton, check, copyButton, field, foreign, form, moment, problem, table } from "./parts.js";

const SPANS = [["", "Never"], ["1d", "In a day"], ["1w", "In a week"], ["30d", "In 30 days"], ["90d", "In 90 days"], ["other", "Another time …"]];

export async function open(main) {
  const list = el("div", {}), secret = el("div", { "aria-live": "polite" }), making = el("div", {});
  main.append(
    el("h2", {}, "Tokens"),
    el("p", { class: "soft" }, "Each agent or program can have a token of its own. What it may do is decided by the token, and the timeline says whose call it was."),
    el("div", { class: "stack" }, secret, list, making),
  );

  async function refresh() {
    const told = await get("tokens");
    list.replaceChildren(shown(told, refresh));
    return told;
  }
  const told = await refresh();
  if (told.kept) making.append(maker(told, async (name, value) => {
    secret.replaceChildren(newSecret(name, value, () => secret.replaceChildren()));
    secret.querySelector("h3").focus();
    await refresh();
  }));
  else making.append(el("p", { class: "notice" }, "This server knows no named tokens."));
}

function shown(told, refresh) {
  const rows = [el("tr", {},
    el("th", { scope: "row" }, "owner"),
    el("td", {}, "All"), el("td", {}, "All"), el("td", {}, "Everything"), el("td", {}, "Never"),
    el("td", {}, told.owner.last_use ? moment(told.owner.last_use, told.now) : "–"),
    el("td", { class: "soft" }, told.owner.asked ? "The server's own" : "Not asked for"))];
  for (const one of told.tokens) {
    rows.push(el("tr", { class: one.ended ? "ended" : "" },
      el("th", { scope: "row" }, foreign(one.name)),
      el("td", {}, one.toolsets.join(", ") || "All"),
      el("td", {}, one.phones.length ? foreign(one.phones.join(", ")) : "All"),
      el("td", {}, one.read_only ? "Look only" : "Look and act"),
      el("td", {}, one.expires === null ? "Never" : [
        one.ended && el("span", { class: "tag bad" }, "Ended"),
        one.near_end && el("span", { class: "tag warn" }, "Soon"), " ",
        moment(one.expires, told.now)]),
      el("td", {}, one.last_use ? moment(one.last_use, told.now) : "–"),
      el("td", {}, askingButton("Revoke", `Revoke ${one.name} for good?`, "Yes, revoke", async () => {
        await post(`tokens/${encodeURIComponent(one.name)}/revoke`);
        say(`${one.name} is revoked.`);
        await refresh();
      }))));
  }
  return el("section", { class: "card" },
    told.problem && problem(told.problem),
    table("Tokens", ["Name", "Toolsets", "Phones", "May", "Ends", "Last use", "Action"], rows));
}

function newSecret(name, value, done) {
  return el("section", { class: "card fresh" },
    el("h3", { tabindex: "-1" }, `The secret of ${name}`),
    el("p", {}, "It is shown this once and kept nowhere. Give it to the program as its bearer token."),
    el("div", { class: "row" },
      el("code", { class: "secret" }, value), copyButton(value, "the secret"),
      el("button", { type: "button", class: "quiet", onclick: done }, "I have it")));
}

function maker(told, made) {
  const name = el("input", { required: true, maxlength: "32", pattern: "[a-z0-9][a-z0-9_.\\-]*", autocomplete: "off", spellcheck: "false", placeholder: "kitchen-agent" });
  const toolsets = told.toolsets.map((one) => [one, ...check(one)]);
  const phones = told.phones.map((one) => [one.name, ...check(foreign(`${one.name}${one.model ? ` (${one.model})` : ""}`))]);
  const [readOnly, readOnlyBox] = check("May only look: no tool that changes anything");
  const span = el("select", {}, SPANS.map(([value, words]) => el("option", { value }, words)));
  const other = el("input", { placeholder: "12h, 30d, 4w or 2030-12-31", autocomplete: "off" });
  const otherField = field("Ends after, or on", other, "12h, 30d or 4w from now, or the last day");
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
    await made(given, secret);
  },
    el("h3", {}, "Make a token"),
    field("Name", name, "1 to 32 of a–z, 0–9, . _ and -"),
    el("fieldset", {}, el("legend", {}, "Toolsets"), el("p", { class: "hint soft" }, "None chosen is all."),
      el("div", { class: "checks" }, toolsets.map(([, label]) => label))),
    el("fieldset", {}, el("legend", {}, "Phones"), el("p", { class: "hint soft" }, "None chosen is all, those of tomorrow too."),
      el("div", { class: "checks" }, phones.length ? phones.map(([, label]) => label) : el("span", { class: "soft" }, "No phone is known now."))),
    readOnly,
    el("div", { class: "row top" }, field("Ends", span), otherField),
    el("div", { class: "row" }, el("button", { class: "main" }, "Make it")));
  return all;
}
