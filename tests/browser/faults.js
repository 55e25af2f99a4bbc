// What a screen reader has to go by. A sentence for each fault.
() => {
  const faults = [];
  const name = (one) => (one.getAttribute("aria-label") || one.labels?.[0]?.textContent || one.textContent
    || one.getAttribute("title") || "").trim();
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  for (const one of document.querySelectorAll("button, a, input, select, textarea, canvas, summary, [role=region]")) {
    if (seen(one) && !name(one)) faults.push(`no name: ${one.outerHTML.slice(0, 120)}`);
  }
  for (const one of document.querySelectorAll("canvas")) {
    if (!one.getAttribute("role")) faults.push(`no role: ${one.outerHTML.slice(0, 120)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) faults.push(`id twice: ${id}`);
  for (const what of ["h1", "main", "header", "nav"]) {
    if (document.querySelectorAll(what).length !== 1) faults.push(`not one ${what}`);
  }
  let level = 1;
  for (const one of document.querySelectorAll("main :is(h2, h3, h4, h5)")) {
    if (!seen(one)) continue;
    const next = Number(one.tagName[1]);
    if (next > level + 1) faults.push(`from h${level} to ${one.tagName}: ${one.textContent}`);
    level = next;
  }
  if (!document.documentElement.lang) faults.push("no language");
  if (!document.title.includes("Handheld")) faults.push(`title: ${document.title}`);
  for (const one of document.querySelectorAll("[aria-describedby], label[for]")) {
    const id = one.getAttribute("aria-describedby") ?? one.getAttribute("for");
    if (!document.getElementById(id)) faults.push(`nothing is called ${id}`);
  }
  for (const one of document.querySelectorAll("[tabindex]")) if (one.tabIndex > 0) faults.push("an order of its own");
  return faults;
}
