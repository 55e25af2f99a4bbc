// Accessibility problems of the page, a line for each.
() => {
  const faults = [];
  const name = (element) => (element.getAttribute("aria-label") || element.labels?.[0]?.textContent || element.textContent
    || element.getAttribute("title") || "").trim();
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  for (const element of document.querySelectorAll("button, a, input, select, textarea, canvas, summary, [role=region]")) {
    if (seen(element) && !name(element)) faults.push(`no name: ${element.outerHTML.slice(0, 120)}`);
  }
  for (const element of document.querySelectorAll("canvas")) {
    if (!element.getAttribute("role")) faults.push(`no role: ${element.outerHTML.slice(0, 120)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) faults.push(`id twice: ${id}`);
  for (const what of ["h1", "main", "header", "nav"]) {
    if (document.querySelectorAll(what).length !== 1) faults.push(`not exactly one ${what}`);
  }
  let level = 1;
  for (const element of document.querySelectorAll("main :is(h2, h3, h4, h5)")) {
    if (!seen(element)) continue;
    const next = Number(element.tagName[1]);
    if (next > level + 1) faults.push(`from h${level} to ${element.tagName}: ${element.textContent}`);
    level = next;
  }
  if (!document.documentElement.lang) faults.push("no language");
  if (!document.title.includes("Handheld")) faults.push(`title: ${document.title}`);
  for (const element of document.querySelectorAll("[aria-describedby], label[for]")) {
    const id = element.getAttribute("aria-describedby") ?? element.getAttribute("for");
    if (!document.getElementById(id)) faults.push(`no element has the id ${id}`);
  }
  for (const element of document.querySelectorAll("[tabindex]")) if (element.tabIndex > 0) faults.push("a positive tabindex");
  return faults;
}
