// Scroll through the rows. Returns their number, and the median and the longest frame time in ms.
async () => {
  const scroll = document.querySelector(".scroll");
  const frames = [];
  let last = performance.now();
  for (let turn = 0; turn < 400 && document.querySelectorAll("li.call").length < 1000; turn += 1) {
    scroll.scrollTop += 900;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  for (let turn = 0; turn < 60; turn += 1) {
    scroll.scrollTop = scroll.scrollHeight * (turn % 10) / 10;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  frames.sort((a, b) => a - b);
  return [document.querySelectorAll("li.call").length, frames[Math.floor(frames.length / 2)], frames.at(-1)];
}
