// A person's pointer and keyboard on the picture of the phone, as tool calls.

const HOLD_MS = 500; // holding longer is a long press
const STILL_PX = 10; // moving further is a swipe

// Taps, long presses and swipes, in the phone's pixels.
export function touch(canvas, finger, screenSize, act) {
  let from = null, last = Promise.resolve();
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    const share = (value) => Math.min(Math.max(value, 0), 0.9999);
    const x = share((event.clientX - box.left) / box.width), y = share((event.clientY - box.top) / box.height);
    return { px: event.clientX, py: event.clientY, dx: x, dy: y };
  };
  const show = (at) => {
    finger.hidden = false;
    finger.style.left = `${at.dx * 100}%`;
    finger.style.top = `${at.dy * 100}%`;
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    from = { ...place(event), at: performance.now() };
    show(from);
  });
  canvas.addEventListener("pointermove", (event) => { if (from) show(place(event)); });
  canvas.addEventListener("pointercancel", () => { from = null; finger.hidden = true; });
  canvas.addEventListener("pointerup", (event) => {
    if (!from) return;
    const began = from, ended = place(event);
    const held = Math.round(performance.now() - began.at);
    from = null;
    finger.hidden = true;
    last = last.then(() => send(began, ended, held)); // one after the other, in order
  });
  async function send(began, ended, held) {
    const { width, height } = await screenSize();
    if (!width) return;
    const pixel = (at) => ({ ...at, x: Math.floor(at.dx * width), y: Math.floor(at.dy * height) });
    const start = pixel(began), to = pixel(ended);
    if (Math.hypot(to.px - start.px, to.py - start.py) > STILL_PX) {
      act("swipe", { x1: start.x, y1: start.y, x2: to.x, y2: to.y, duration: Math.min(Math.max(held, 50), 5000) });
    } else if (held >= HOLD_MS) act("long_press", { x: start.x, y: start.y, duration: Math.min(held, 5000) });
    else act("tap", { x: start.x, y: start.y });
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
}

// Keys while the picture has the focus. The browser handles Tab, so keyboard users can leave.
export function keyboard(canvas, act, type) {
  let pending = "", timer = null;
  const send = () => {
    clearTimeout(timer);
    if (pending) type(pending);
    pending = "";
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const special = { Enter: ["press_key", { key: "ENTER" }], Backspace: ["press_key", { key: "DEL" }], Escape: ["press_back"], Home: ["press_home"] }[event.key];
    if (special) {
      send();
      act(...special);
    } else if ([...event.key].length === 1) {
      pending += event.key;
      clearTimeout(timer);
      timer = setTimeout(send, 350);
    } else return;
    event.preventDefault();
  });
  canvas.addEventListener("paste", (event) => {
    event.preventDefault();
    type(event.clipboardData.getData("text/plain"));
  });
}
