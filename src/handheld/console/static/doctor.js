// The findings of `handheld doctor`.
import { el, fetchRaw, say, told } from "./api.js";
import { copyButton, problem, worded } from "./parts.js";

const WORDS = { ok: "Fine", warning: "Warning", problem: "Problem" };
// What mends is a command, or a sentence on what to do.
const COMMAND = /^(handheld|adb|apt-get|chmod|rm|make) [^;]*$/;
const KINDS = { ok: "good", warning: "warn", problem: "bad" };

export async function open(main) {
  const again = el("button", { type: "button" }, "Look again");
  const state = el("span", { class: "soft", role: "status" });
  const list = el("ul", { class: "findings", "aria-label": "Findings" });
  const wrong = el("div", {});
  let stop = new AbortController();
  main.append(el("h2", {}, "Doctor"),
    el("div", { class: "row" }, again, state), wrong, list);

  async function look() {
    stop.abort();
    stop = new AbortController();
    const { signal } = stop, count = { ok: 0, warning: 0, problem: 0 };
    again.disabled = true;
    state.textContent = "Looking …";
    list.replaceChildren();
    wrong.replaceChildren();
    try {
      let done = false;
      for await (const [kind, finding] of told(await fetchRaw("doctor", signal))) {
        if (kind === "done") done = true;
        else {
          count[finding.verdict] += 1;
          place(list, finding);
        }
      }
      if (!done) throw new Error("The server stopped in the middle of it.");
      state.textContent = summary(count);
    } catch (failure) {
      if (signal.aborted) return;
      state.textContent = "";
      wrong.replaceChildren(problem(failure.message));
    }
    again.disabled = false;
  }
  again.addEventListener("click", look);
  look();
  return () => stop.abort();
}

function summary({ problem, warning, ok }) {
  const parts = [];
  if (problem) parts.push(`${problem} ${problem === 1 ? "problem" : "problems"}`);
  if (warning) parts.push(`${warning} ${warning === 1 ? "warning" : "warnings"}`);
  const words = parts.length ? `${parts.join(" and ")}; ${ok} more things are fine.` : `All ${ok} things looked at are fine.`;
  say(words);
  return words;
}

// Problems first, then warnings, in the order in which they were found.
function place(list, finding) {
  const row = shown(finding);
  const rank = Object.keys(WORDS).indexOf(finding.verdict);
  const next = [...list.children].find((one) => Number(one.dataset.rank) < rank);
  row.dataset.rank = String(rank);
  list.insertBefore(row, next ?? null);
}

function shown({ verdict, subject, sentence, mend }) {
  return el("li", { class: "card finding" },
    el("span", { class: `tag ${KINDS[verdict]}` }, WORDS[verdict]),
    el("div", { class: "grow" },
      el("strong", {}, subject), " ", worded(sentence),
      mend && (COMMAND.test(mend)
        ? el("div", { class: "row mend" }, el("code", {}, mend), copyButton(mend, "the command"))
        : el("p", { class: "mend soft" }, worded(mend)))));
}
