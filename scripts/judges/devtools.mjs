// Node's own HTTP and WebSocket clients, on the DevTools of a virtual phone: prints what they got.
//
//   node devtools.mjs PORT

const base = `http://127.0.0.1:${process.argv[2]}`;
const version = await (await fetch(`${base}/json/version`)).json();
const [page] = await (await fetch(`${base}/json/list`)).json();
const socket = new WebSocket(page.webSocketDebuggerUrl.replace("ws://localhost", base.replace("http", "ws")));
const pending = new Map();
let context = false;
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.method === "Runtime.executionContextCreated") context = true;
  pending.get(message.id)?.(message);
};
await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));

let number = 0;
function call(method, params = {}) {
  const id = ++number;
  socket.send(JSON.stringify({ id, method, params }));
  return new Promise((resolve) => pending.set(id, resolve));
}

await call("Runtime.enable");
const { result } = await call("Runtime.evaluate", { expression: "document.title", returnByValue: true });
const unknown = await call("Browser.nothing");
const long = await call("Runtime.evaluate", { expression: JSON.stringify("x".repeat(200_000)) });
socket.close();
console.log(JSON.stringify({
  package: version["Android-Package"],
  page: [page.title, page.type],
  value: result.result,
  context,
  unknown: unknown.error.code,
  long: long.result.result.value.length,
}));
