// The options in handheld.toml, storage locations, and the phones' slugs.
import { announce, el, get, post } from "./api.js";
import { confirmButton, check, field, foreign, form, problem } from "./components.js";

const GROUPS = {
  "": "The server", tls: "Encryption", adb: "adb", tools: "Single tools", toolsets: "Toolsets",
  files: "Files", download: "Downloads", apps: "App tools", sms: "Messages", audit: "Record of calls",
  policy: "Approval",
};

export async function open(main) {
  const top = el("div", {}), list = el("div", { class: "stack groups" }), slugs = el("div", {}), storage = el("div", {});
  const find = el("input", { type: "search", placeholder: "Find a setting", "aria-label": "Find a setting", autocomplete: "off" });
  const opened = new Set();
  main.append(el("h2", {}, "Settings"), top,
    el("div", { class: "stack" }, storage, slugs, el("section", { class: "stack" },
      el("div", { class: "row" }, el("h3", {}, "All options"), find), list)));

  function applyFilter() {
    const word = find.value.trim().toLowerCase();
    for (const group of list.children) {
      let some = false;
      for (const row of group.querySelectorAll(".option")) {
        row.hidden = !row.dataset.words.includes(word);
        some ||= !row.hidden;
      }
      group.hidden = !some;
      if (word) group.open = true;
      else group.open = opened.has(group.dataset.name);
    }
  }
  find.addEventListener("input", applyFilter);

  async function refresh() {
    const data = await get("settings");
    top.replaceChildren(
      el("p", { class: "soft" }, "Settings are stored in ", el("code", {}, foreign(data.file)), ". Changes take effect when the server restarts; storage locations take effect immediately. ",
        el("button", { type: "button", class: "quiet", onclick: () => refresh().catch((failure) => top.append(problem(failure.message))) }, "Reload")),
      ...(data.problem ? [problem(`The server cannot start with this file: ${data.problem}`)] : []));
    const save = saver(data, refresh);
    const groups = Map.groupBy(data.options, ({ key }) => (key.includes(".") ? key.split(".")[0] : ""));
    list.replaceChildren(...[...groups].map(([name, all]) => {
      const set = all.filter((each) => each.in_file || each.source).length;
      const group = el("details", { class: "card group", open: opened.has(name) },
        el("summary", {}, GROUPS[name] ?? name, " ", set > 0 && el("span", { class: "tag info" }, `${set} set`)),
        all.map((each) => option(each, save)));
      group.dataset.name = name;
      group.addEventListener("toggle", () => {
        if (find.value) return;
        if (group.open) opened.add(name);
        else opened.delete(name);
      });
      return group;
    }));
    slugs.replaceChildren(slugCard(data, save, await get("phones")));
    applyFilter();
  }

  async function refreshStorage() {
    storage.replaceChildren(storageCard(await get("storage"), refreshStorage));
  }
  await Promise.all([refresh(), refreshStorage()]);
}

// Writes one value; asks first if comments would be lost.
function saver(data, refresh) {
  return async function save(path, body, message) {
    const given = { ...body, version: data.version };
    const answer = await post(path, given);
    if (answer.written) {
      announce("Saved. It takes effect at the next start.");
      await refresh();
      return;
    }
    message.replaceChildren(el("div", { class: "notice", role: "alert" },
      el("p", {}, `${answer.comments_lost} Nothing was saved.`),
      confirmButton("Save anyway", "Lose the comments?", "Yes, save", async () => {
        await post(path, { ...given, lose_comments: true });
        await refresh();
      })));
  };
}

function formatValue(value, setting) {
  if (Array.isArray(value)) return value.length ? value.join(", ") : setting.shown || "none";
  if (value === true) return "on";
  if (value === false) return "off";
  return value === null || value === "" ? setting.shown || "none" : String(value);
}

function option(setting, save) {
  const row = el("div", { class: "option" });
  row.dataset.words = `${setting.key} ${setting.help}`.toLowerCase();
  const head = el("div", { class: "head" }, el("h4", { class: "mono" }, setting.key), el("p", { class: "soft" }, setting.help.replaceAll("`", "")));
  if (setting.source) {
    row.append(head, el("p", {}, el("strong", {}, foreign(formatValue(setting.now, setting))), " ",
      el("span", { class: "tag info" }, `set by ${setting.source}`), " ",
      el("span", { class: "soft" }, "It overrides the file; change it where the server is started.")));
    return row;
  }
  const [control, read] = controlFor(setting);
  control.setAttribute("aria-label", setting.key);
  const path = `settings/${encodeURIComponent(setting.key)}`;
  row.append(head, form({ class: "row" }, (message) => save(path, { value: read() }, message),
    control,
    el("button", { "aria-label": `Save ${setting.key}` }, "Save"),
    setting.in_file && el("button", { type: "button", class: "quiet", "aria-label": `Reset ${setting.key}`, onclick: (event) => {
      const message = event.target.form.lastElementChild;
      save(path, { value: null }, message).catch((failure) => message.replaceChildren(problem(failure.message)));
    } }, "Reset to default"),
    el("span", { class: "soft" }, setting.in_file ? "Set in the file." : `Default: ${setting.secret ? setting.shown : formatValue(setting.default, setting)}.`),
    setting.waits && el("span", { class: "tag warn" }, `currently ${formatValue(setting.now, setting)}; changes at the next start`)));
  return row;
}

function controlFor(setting) {
  const value = setting.in_file ? setting.file : setting.default;
  if (setting.kind === "flag") {
    const select = el("select", {}, ["on", "off"].map((word) => el("option", {}, word)));
    select.value = value ? "on" : "off";
    return [select, () => select.value === "on"];
  }
  if (setting.kind === "text" && setting.choices.length) {
    const select = el("select", {}, setting.choices.map((word) => el("option", {}, word)));
    select.value = value;
    return [select, () => select.value];
  }
  if (setting.kind === "number") {
    const input = el("input", { type: "number", min: setting.bounds?.[0], max: setting.bounds?.[1], required: true });
    input.value = value;
    return [input, () => Number(input.value)];
  }
  if (setting.kind === "list") {
    const input = el("input", { class: "wide", placeholder: "comma-separated", autocomplete: "off", spellcheck: "false" });
    input.value = (value ?? []).join(", ");
    return [input, () => {
      const parts = input.value.split(",").map((part) => part.trim()).filter(Boolean);
      return setting.numbers ? parts.map((part) => (/^\d{1,11}$/.test(part) ? Number(part) : part)) : parts;
    }];
  }
  const input = el("input", { class: "wide", type: setting.secret ? "password" : "text", autocomplete: "off", spellcheck: "false" });
  if (setting.secret) input.placeholder = setting.in_file ? "set; type to replace it" : "";
  else input.value = value ?? "";
  return [input, () => input.value];
}

function slugCard(data, save, known) {
  const names = new Map(Object.entries(data.slugs));
  for (const phone of known) if (!names.has(phone.serial)) names.set(phone.serial, null);
  return el("section", { class: "card form" },
    el("h3", {}, "Phones and their slugs"),
    el("p", { class: "soft" }, "A slug is a phone's short name: its tools are then called android_slug_tap. Phones in the file are served; if there are none, Handheld serves what adb reports."),
    names.size === 0 && el("p", { class: "soft" }, "No phones are known."),
    [...names].map(([phone, slug]) => {
      const input = el("input", { maxlength: "20", autocomplete: "off", spellcheck: "false", placeholder: "no slug" });
      input.value = slug ?? "";
      const path = `slugs/${encodeURIComponent(phone)}`;
      const slugForm = form({ class: "row slug" }, (message) => save(path, { slug: input.value.trim() }, message),
        el("strong", { class: "mono" }, foreign(phone)), input,
        el("button", { "aria-label": `Save the slug of ${phone}` }, slug === null ? "Add to the file" : "Save"),
        slug === null ? el("span", { class: "soft" }, "connected, not in the file") : el("button", { type: "button", class: "quiet", "aria-label": `Remove ${phone} from the file`, onclick: () => {
          const message = slugForm.lastElementChild;
          save(path, { slug: null }, message).catch((failure) => message.replaceChildren(problem(failure.message)));
        } }, "Remove"));
      input.setAttribute("aria-label", `Slug of ${phone}`);
      return slugForm;
    }));
}

function storageCard(data, refresh) {
  const rows = data.locations.map((each) => location(each, refresh));
  const id = el("input", { class: "wide", required: true, placeholder: data.example, autocomplete: "off", spellcheck: "false" });
  const phone = el("input", { autocomplete: "off", spellcheck: "false", placeholder: "all phones" });
  const name = el("input", { maxlength: "100", autocomplete: "off" });
  const description = el("input", { class: "wide", maxlength: "500", autocomplete: "off" });
  const [write, writeBox] = check("Allow writing");
  const [remove, removeBox] = check("Allow deleting");
  return el("section", { class: "card" },
    el("h3", {}, "Storage locations"),
    el("p", { class: "soft" }, "Folders on phones that tools may access. Tools cannot reach other folders."),
    data.problem && problem(data.problem),
    rows.length ? el("ul", { class: "plainlist" }, rows) : el("p", { class: "soft" }, "No storage locations yet."),
    el("details", {}, el("summary", {}, "Add a folder"),
      form({ class: "form" }, async () => {
        const { new: added } = await post("storage", {
          id: id.value, phone: phone.value, name: name.value, description: description.value,
          allow_write: writeBox.checked, allow_delete: removeBox.checked,
        });
        announce(added ? "Added." : "Updated.");
        await refresh();
      },
        field("Folder", id, `As named by Android's document providers: ${data.example}`),
        field("Phone", phone, "Its serial; empty for all phones"),
        field("Name", name, "Shown to agents; empty for the folder's own name"),
        field("Description", description, "Tells agents what the folder is for"),
        el("div", { class: "row" }, write, remove),
        el("div", { class: "row" }, el("button", { class: "main" }, "Add")))));
}

function location(entry, refresh) {
  const message = el("div", {});
  const { id, phone } = entry;
  const change = async (box, part) => {
    try {
      await post("storage", { id, phone, [part]: box.checked });
      announce(box.checked ? "Allowed." : "No longer allowed.");
      message.replaceChildren();
    } catch (failure) {
      box.checked = !box.checked;
      message.replaceChildren(problem(failure.message));
    }
  };
  const [write, writeBox] = check("write", { onchange: () => change(writeBox, "allow_write") });
  const [remove, removeBox] = check("delete", { onchange: () => change(removeBox, "allow_delete") });
  writeBox.checked = entry.allow_write;
  removeBox.checked = entry.allow_delete;
  writeBox.setAttribute("aria-label", `${entry.title}: allow writing`);
  removeBox.setAttribute("aria-label", `${entry.title}: allow deleting`);
  const name = el("input", { maxlength: "100", autocomplete: "off" });
  const description = el("input", { class: "wide", maxlength: "500", autocomplete: "off" });
  name.value = entry.name;
  description.value = entry.description;
  return el("li", {},
    el("div", { class: "row" }, el("strong", {}, foreign(entry.title)),
      el("code", { class: "soft" }, foreign(id)), el("span", { class: "soft" }, phone ? foreign(`on ${phone}`) : "on all phones"),
      el("span", { class: "row" }, el("span", { class: "soft" }, "read,"), write, remove),
      confirmButton("Remove", "Remove it from the list? The files stay.", "Yes, remove", async () => {
        await post("storage/remove", { id, phone });
        await refresh();
      })),
    entry.description && el("p", { class: "soft" }, foreign(entry.description)), message,
    el("details", {}, el("summary", { "aria-label": `Name and description of ${entry.title}` }, "Name and description"),
      form({ class: "form" }, async () => {
        await post("storage", { id, phone, name: name.value, description: description.value });
        announce("Saved.");
        await refresh();
      },
        field("Name", name, "Empty for the folder's own name"), field("Description", description),
        el("div", { class: "row" }, el("button", {}, "Save")))));
}
