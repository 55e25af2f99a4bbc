// Scroll through the rows. Returns their number, and the median frame time in ms with the first
// rows and with all of them.
async () => {
  const scroll = document.querySelector(".scroll");
  const rows = () => document.querySelectorAll("li.call").length;
  async function jump() {
    const frames = [];
    for (let turn = 0; turn < 60; turn += 1) {
      const began = performance.now();
      scroll.scrollTop = scroll.scrollHeight * (turn % 5) / 10;
      await new Promise(requestAnimationFrame);
      frames.push(performance.now() - began);
    }
    frames.sort((a, b) => a - b);
    return frames[30];
  }
  const first = await jump();
  for (let turn = 0; turn < 400 && rows() < 1000; turn += 1) {
    scroll.scrollTop = scroll.scrollHeight;
    await new Promise(requestAnimationFrame);
  }
  return [rows(), first, await jump()];
}
