// Connects an official MCP client that knows nothing but the server's address: it discovers the
// authorization server, registers, gets an access token and calls. Prints what it received.
//
//   node oauth.mjs '{"client": "sdk" | "client", "url": "…", "name": "a tool"}'

const plan = JSON.parse(process.argv[2]);

async function load() {
  if (plan.client === "client") return import("@modelcontextprotocol/client");
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
  ]);
  return { Client, StreamableHTTPClientTransport };
}

// Keeps everything in memory, and follows the redirect that a person's browser would.
class Provider {
  kept = {};
  redirectUrl = "http://127.0.0.1:1/back";
  clientMetadata = {
    client_name: "judge",
    redirect_uris: [this.redirectUrl],
    token_endpoint_auth_method: "none",
  };
  clientInformation = () => this.kept.client;
  saveClientInformation = (client) => void (this.kept.client = client);
  tokens = () => this.kept.tokens;
  saveTokens = (tokens) => void (this.kept.tokens = tokens);
  codeVerifier = () => this.kept.verifier;
  saveCodeVerifier = (verifier) => void (this.kept.verifier = verifier);
  state = () => "a state";
  async redirectToAuthorization(url) {
    const answer = await fetch(url, { redirect: "manual" });
    this.back = new URL(answer.headers.get("location")).searchParams;
  }
}

const { Client, StreamableHTTPClientTransport } = await load();
const authProvider = new Provider();
const open = () => new StreamableHTTPClientTransport(new URL(plan.url), { authProvider });
const connect = async (transport) => {
  const client = new Client({ name: "judge", version: "1.0.0" });
  await client.connect(transport);
  return client;
};

const first = open();
let refused = "";
try {
  await connect(first);
} catch (problem) {
  refused = problem.constructor.name;
}
const { back } = authProvider;
await first.finishAuth(plan.client === "client" ? back : back.get("code"));
const client = await connect(open());
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const reply = await client.callTool({ name: plan.name, arguments: {} });
await client.close();
console.log(JSON.stringify({ refused, tools, content: reply.content }));
