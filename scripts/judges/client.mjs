// Runs an official MCP client through a plan and prints what it received as one line of JSON.
//
//   node client.mjs '{"client": "sdk" | "client" | "client-auto",
//                     "url": "…", "token": "…"  |  "command": ["…"], "environment": {…},
//                     "calls": [{"name": "…", "arguments": {…}, "abort_when": "a file appears"}]}'

import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const plan = JSON.parse(process.argv[2]);

// The first library announces the version only to its transport.
let announced = null;
function recordVersion(transport) {
  const pass = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    announced = version;
    pass?.(version);
  };
  return transport;
}

async function load() {
  if (plan.client === "sdk") {
    const [{ Client }, { StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      import("@modelcontextprotocol/sdk/client/stdio.js"),
    ]);
    return { Client, StreamableHTTPClientTransport, StdioClientTransport };
  }
  const [{ Client, StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]);
  return { Client, StreamableHTTPClientTransport, StdioClientTransport };
}

function open({ StreamableHTTPClientTransport, StdioClientTransport }) {
  if (plan.url) {
    const headers = plan.token ? { Authorization: `Bearer ${plan.token}` } : {};
    return new StreamableHTTPClientTransport(new URL(plan.url), { requestInit: { headers } });
  }
  const [command, ...args] = plan.command;
  return new StdioClientTransport({ command, args, env: plan.environment, stderr: "inherit" });
}

async function abortWhen(file, controller) {
  for (const end = Date.now() + 300_000; Date.now() < end && !existsSync(file); ) await pause(10);
  controller.abort("the user gave up");
}

async function call(client, { name, arguments: given, abort_when: file }) {
  const controller = new AbortController();
  const options = { signal: controller.signal };
  if (file) void abortWhen(file, controller);
  const params = { name, arguments: given };
  try {
    const answer = await (plan.client === "sdk"
      ? client.callTool(params, undefined, options)
      : client.callTool(params, options));
    return { content: answer.content, isError: answer.isError ?? false };
  } catch (problem) {
    if (controller.signal.aborted) return { aborted: true };
    return { error: { code: problem.code ?? null, message: problem.message } };
  }
}

const libraries = await load();
const negotiation = plan.client === "client-auto" ? { versionNegotiation: { mode: "auto" } } : {};
const client = new libraries.Client({ name: "judge", version: "1.0.0" }, negotiation);
try {
  const transport = open(libraries);
  await client.connect(plan.client === "sdk" ? recordVersion(transport) : transport);
} catch (problem) {
  const { message } = problem;
  console.log(JSON.stringify({ refused: { status: problem.status ?? problem.code ?? null, message } }));
  process.exit(0);
}
const tools = (await client.listTools()).tools;
const replies = [];
for (const wanted of plan.calls) replies.push(await call(client, wanted));
const seen = {
  version: plan.client === "sdk" ? announced : client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion()?.name ?? null,
  tools: tools.map((tool) => tool.name),
  replies,
};
await client.close();
console.log(JSON.stringify(seen));
