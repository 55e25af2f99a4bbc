// What handheld.toml holds, storage locations, and the phones' slugs.
import { el, get, post, say } from "./api.js";
import { askingButton, check, field, foreign, form, problem } from "./parts.js";

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

  function narrow() {
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
  find.addEventListener("input", narrow);

  async function refresh() {
    const told = await get("settings");
    top.replaceChildren(
      el("p", { class: "soft" }, "They are kept in ", el("code", {}, foreign(told.file)), ". A change there holds from the server's next start; storage locations hold at once. ",
        el("button", { type: "button", class: "quiet", onclick: () => refresh().catch((failure) => top.append(problem(failure.message))) }, "Read it again")),
      ...(told.problem ? [problem(`As it is, no server starts with it: ${told.problem}`)] : []));
    const save = saver(told, refresh);
    const groups = Map.groupBy(told.options, ({ key }) => (key.includes(".") ? key.split(".")[0] : ""));
    list.replaceChildren(...[...groups].map(([name, all]) => {
      const set = all.filter((one) => one.in_file || one.source).length;
      const group = el("details", { class: "card group", open: opened.has(name) },
        el("summary", {}, GROUPS[name] ?? name, " ", set > 0 && el("span", { class: "tag info" }, `${set} set`)),
        all.map((one) => option(one, save)));
      group.dataset.name = name;
      group.addEventListener("toggle", () => {
        if (find.value) return;
        if (group.open) opened.add(name);
        else opened.delete(name);
      });
      return group;
    }));
    slugs.replaceChildren(slugCard(told, save, await get("phones")));
    narrow();
  }

  async function refreshStorage() {
    storage.replaceChildren(storageCard(await get("storage"), refreshStorage));
  }
  await Promise.all([refresh(), refreshStorage()]);
}

// Writes one value; where comments would be lost, asks first.
function saver(told, refresh) {
  return async function save(path, body, words) {
    const given = { ...body, version: told.version };
    const answer = await post(path, given);
    if (answer.written) {
      say("Written. It holds from the next start.");
      await refresh();
      return;
    }
    words.replaceChildren(el("div", { class: "notice", role: "alert" },
      el("p", {}, `${answer.comments_lost} Nothing has been written.`),
      askingButton("Write it all the same", "Lose the comments?", "Yes, write it", async () => {
        await post(path, { ...given, lose_comments: true });
        await refresh();
      })));
  };
}

function spoken(value, one) {
  if (Array.isArray(value)) return value.length ? value.join(", ") : one.shown || "none";
  if (value === true) return "on";
  if (value === false) return "off";
  return value === null || value === "" ? one.shown || "none" : String(value);
}

function option(one, save) {
  const row = el("div", { class: "option" });
  row.dataset.words = `${one.key} ${one.help}`.toLowerCase();
  const head = el("div", { class: "head" }, el("h4", { class: "mono" }, one.key), el("p", { class: "soft" }, one.help.replaceAll("`", "")));
  if (one.source) {
    row.append(head, el("p", {}, el("strong", {}, foreign(spoken(one.now, one))), " ",
      el("span", { class: "tag info" }, `set by ${one.source}`), " ",
      el("span", { class: "soft" }, "It wins over the file, and is changed where the server is started.")));
    return row;
  }
  const [control, read] = controlFor(one);
  control.setAttribute("aria-label", one.key);
  const path = `settings/${encodeURIComponent(one.key)}`;
  row.append(head, form({ class: "row" }, (words) => save(path, { value: read() }, words),
    control,
    el("button", { "aria-label": `Save ${one.key}` }, "Save"),
    one.in_file && el("button", { type: "button", class: "quiet", "aria-label": `Default for ${one.key}`, onclick: (event) => {
      const words = event.target.form.lastElementChild;
      save(path, { value: null }, words).catch((failure) => words.replaceChildren(problem(failure.message)));
    } }, "Back to default"),
    el("span", { class: "soft" }, one.in_file ? "In the file." : `Default: ${one.secret ? one.shown : spoken(one.default, one)}.`),
    one.waits && el("span", { class: "tag warn" }, `now ${spoken(one.now, one)}; changes at the next start`)));
  return row;
}

function controlFor(one) {
  const value = one.in_file ? one.file : one.default;
  if (one.kind === "flag") {
    const select = el("select", {}, ["on", "off"].map((word) => el("option", {}, word)));
    select.value = value ? "on" : "off";
    return [select, () => select.value === "on"];
  }
  if (one.kind === "text" && one.choices.length) {
    const select = el("select", {}, one.choices.map((word) => el("option", {}, word)));
    select.value = value;
    return [select, () => select.value];
  }
  if (one.kind === "number") {
    const input = el("input", { type: "number", min: one.bounds?.[0], max: one.bounds?.[1], required: true });
    input.value = value;
    return [input, () => Number(input.value)];
  }
  if (one.kind === "list") {
    const input = el("input", { class: "wide", placeholder: "several with commas between", autocomplete: "off", spellcheck: "false" });
    input.value = (value ?? []).join(", ");
    return [input, () => {
      const parts = input.value.split(",").map((part) => part.trim()).filter(Boolean);
      return one.numbers ? parts.map((part) => (/^\d{1,11}$/.test(part) ? Number(part) : part)) : parts;
    }];
  }
  const input = el("input", { class: "wide", type: one.secret ? "password" : "text", autocomplete: "off", spellcheck: "false" });
  if (one.secret) input.placeholder = one.in_file ? "set; type to replace it" : "";
  else input.value = value ?? "";
  return [input, () => input.value];
}

function slugCard(told, save, known) {
  const names = new Map(Object.entries(told.slugs));
  for (const one of known) if (!names.has(one.serial)) names.set(one.serial, null);
  return el("section", { class: "card form" },
    el("h3", {}, "Phones and their slugs"),
    el("p", { class: "soft" }, "A slug is a phone's short name: its tools are called android_slug_tap. A phone that is kept here is served; where none is, whatever adb has."),
    names.size === 0 && el("p", { class: "soft" }, "No phone is known now."),
    [...names].map(([phone, slug]) => {
      const input = el("input", { maxlength: "20", autocomplete: "off", spellcheck: "false", placeholder: "no slug" });
      input.value = slug ?? "";
      const path = `slugs/${encodeURIComponent(phone)}`;
      const own = form({ class: "row slug" }, (words) => save(path, { slug: input.value.trim() }, words),
        el("strong", { class: "mono" }, foreign(phone)), input,
        el("button", { "aria-label": `Save the slug of ${phone}` }, slug === null ? "Keep in the file" : "Save"),
        slug === null ? el("span", { class: "soft" }, "connected, not in the file") : el("button", { type: "button", class: "quiet", "aria-label": `Take ${phone} out of the file`, onclick: () => {
          const words = own.lastElementChild;
          save(path, { slug: null }, words).catch((failure) => words.replaceChildren(problem(failure.message)));
        } }, "Take out"));
      input.setAttribute("aria-label", `Slug of ${phone}`);
      return own;
    }));
}

function storageCard(told, refresh) {
  const rows = told.locations.map((one) => location(one, refresh));
  const id = el("input", { class: "wide", required: true, placeholder: told.example, autocomplete: "off", spellcheck: "false" });
  const phone = el("input", { autocomplete: "off", spellcheck: "false", placeholder: "every phone" });
  const name = el("input", { maxlength: "100", autocomplete: "off" });
  const description = el("input", { class: "wide", maxlength: "500", autocomplete: "off" });
  const [write, writeBox] = check("May be written to");
  const [erase, eraseBox] = check("May be deleted from");
  return el("section", { class: "card" },
    el("h3", {}, "Storage locations"),
    el("p", { class: "soft" }, "The folders on phones whose files tools may use. Others cannot be reached."),
    told.problem && problem(told.problem),
    rows.length ? el("ul", { class: "plainlist" }, rows) : el("p", { class: "soft" }, "There is none yet."),
    el("details", {}, el("summary", {}, "Add a folder"),
      form({ class: "form" }, async () => {
        const { new: added } = await post("storage", {
          id: id.value, phone: phone.value, name: name.value, description: description.value,
          allow_write: writeBox.checked, allow_delete: eraseBox.checked,
        });
        say(added ? "Added." : "It was there already, and is now as you say.");
        await refresh();
      },
        field("Folder", id, `As Android's document providers name it: ${told.example}`),
        field("Phone", phone, "Its serial; empty is every phone"),
        field("Name", name, "What agents see it called; empty is the folder's own"),
        field("Description", description, "What agents are told that it is for"),
        el("div", { class: "row" }, write, erase),
        el("div", { class: "row" }, el("button", { class: "main" }, "Add")))));
}

function location(one, refresh) {
  const words = el("div", {});
  const { id, phone } = one;
  const change = async (box, part) => {
    try {
      await post("storage", { id, phone, [part]: box.checked });
      say(box.checked ? "Allowed." : "Not allowed any more.");
      words.replaceChildren();
    } catch (failure) {
      box.checked = !box.checked;
      words.replaceChildren(problem(failure.message));
    }
  };
  const [write, writeBox] = check("write", { onchange: () => change(writeBox, "allow_write") });
  const [erase, eraseBox] = check("delete", { onchange: () => change(eraseBox, "allow_delete") });
  writeBox.checked = one.allow_write;
  eraseBox.checked = one.allow_delete;
  writeBox.setAttribute("aria-label", `${one.title}: may be written to`);
  eraseBox.setAttribute("aria-label", `${one.title}: may be deleted from`);
  const name = el("input", { maxlength: "100", autocomplete: "off" });
  const description = el("input", { class: "wide", maxlength: "500", autocomplete: "off" });
  name.value = one.name;
  description.value = one.description;
  return el("li", {},
    el("div", { class: "row" }, el("strong", {}, foreign(one.title)),
      el("code", { class: "soft" }, foreign(id)), el("span", { class: "soft" }, phone ? foreign(`on ${phone}`) : "on every phone"),
      el("span", { class: "row" }, el("span", { class: "soft" }, "read,"), write, erase),
      askingButton("Remove", "Remove it from the list? The files stay.", "Yes, remove", async () => {
        await post("storage/remove", { id, phone });
        await refresh();
      })),
    one.description && el("p", { class: "soft" }, foreign(one.description)), words,
    el("details", {}, el("summary", { "aria-label": `Name and description of ${one.title}` }, "Name and description"),
      form({ class: "form" }, async () => {
        await post("storage", { id, phone, name: name.value, description: description.value });
        say("Written.");
        await refresh();
      },
        field("Name", name, "Empty is the folder's own"), field("Description", description),
        el("div", { class: "row" }, el("button", {}, "Save")))));
}
