// Texts with too little contrast, by the formula of WCAG 2; 4.5 is level AA.
() => {
  const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(at).backgroundColor);
      if (a === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const faint = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !element.checkVisibility({ opacityProperty: true })) continue;
    if (element.closest("noscript, :disabled, .visually-hidden, .over, .skip, option")) continue;
    const pair = [light(parse(getComputedStyle(element).color)), light(background(element))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) faint.add(`${ratio.toFixed(2)} ${element.tagName}.${element.className}: ${element.textContent.slice(0, 40)}`);
  }
  return [...faint];
}
