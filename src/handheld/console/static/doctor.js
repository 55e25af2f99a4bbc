// The findings of `handheld doctor`.
import { announce, el, fetchRaw, readEvents } from "./api.js";
import { copyButton, formatMessage, problem } from "./components.js";

const LABELS = { ok: "OK", warning: "Warning", problem: "Problem" };
// A fix is a command, or a sentence on what to do.
const COMMAND = /^(handheld|adb|apt-get|chmod|rm|make) [^;]*$/;
const KINDS = { ok: "good", warning: "warn", problem: "bad" };

export async function open(main) {
  const rerun = el("button", { type: "button" }, "Run again");
  const state = el("span", { class: "soft", role: "status" });
  const list = el("ul", { class: "findings", "aria-label": "Findings" });
  const failureArea = el("div", {});
  let controller = new AbortController();
  main.append(el("h2", {}, "Doctor"),
    el("div", { class: "row" }, rerun, state), failureArea, list);

  async function examine() {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller, count = { ok: 0, warning: 0, problem: 0 };
    rerun.disabled = true;
    state.textContent = "Running checks …";
    list.replaceChildren();
    failureArea.replaceChildren();
    try {
      let done = false;
      for await (const [kind, finding] of readEvents(await fetchRaw("doctor", signal))) {
        if (kind === "done") done = true;
        else {
          count[finding.verdict] += 1;
          place(list, finding);
        }
      }
      if (!done) throw new Error("The server stopped before the checks finished.");
      state.textContent = summary(count);
    } catch (failure) {
      if (signal.aborted) return;
      state.textContent = "";
      failureArea.replaceChildren(problem(failure.message));
    }
    rerun.disabled = false;
  }
  rerun.addEventListener("click", examine);
  examine();
  return () => controller.abort();
}

function summary({ problem: problems, warning: warnings, ok }) {
  const parts = [];
  if (problems) parts.push(`${problems} ${problems === 1 ? "problem" : "problems"}`);
  if (warnings) parts.push(`${warnings} ${warnings === 1 ? "warning" : "warnings"}`);
  const text = parts.length ? `${parts.join(" and ")}; ${ok} other checks passed.` : `All ${ok} checks passed.`;
  announce(text);
  return text;
}

// Problems first, then warnings, in the order in which they were found.
function place(list, finding) {
  const row = findingRow(finding);
  const rank = Object.keys(LABELS).indexOf(finding.verdict);
  const next = [...list.children].find((item) => Number(item.dataset.rank) < rank);
  row.dataset.rank = String(rank);
  list.insertBefore(row, next ?? null);
}

function findingRow({ verdict, subject, sentence, mend: fix }) {
  return el("li", { class: "card finding" },
    el("span", { class: `tag ${KINDS[verdict]}` }, LABELS[verdict]),
    el("div", { class: "grow" },
      el("strong", {}, subject), " ", formatMessage(sentence),
      fix && (COMMAND.test(fix)
        ? el("div", { class: "row fix" }, el("code", {}, fix), copyButton(fix, "the command"))
        : el("p", { class: "fix soft" }, formatMessage(fix)))));
}
