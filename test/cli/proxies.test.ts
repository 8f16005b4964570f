import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { aServer } from "../support/a-server.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

// Each test starts several programs, on machines that may be busy.

const has = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0;
/** A Node version that reads HTTP_PROXY itself; older ones do not. */
const newNode = resolve(import.meta.dirname, "../runners/node_modules/node-26/bin/node");

const BODY = '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Say hi"}]}';
const PYTHON = `import os
url, body = os.environ["OPENAI_BASE_URL"] + "/chat/completions", b'${BODY}'
headers = {"content-type": "application/json", "authorization": "Bearer sk-own"}
`;
const FETCH = `
const url = process.env.OPENAI_BASE_URL + "/chat/completions";
const headers = { "content-type": "application/json", authorization: "Bearer sk-own" };
const asked = { method: "POST", headers, body: ${JSON.stringify(BODY)} };
`;
interface Client {
  readonly file: string;
  readonly text: string;
  readonly command: readonly string[];
  readonly canRun: boolean;
}

const CLIENTS: readonly (readonly [name: string, needs: string, client: Client])[] = [
  [
    "urllib",
    "python3",
    {
      file: "ask.py",
      text: `${PYTHON}import urllib.request
try: urllib.request.urlopen(urllib.request.Request(url, body, headers))
except urllib.error.HTTPError: pass
`,
      command: ["python3", "ask.py"],
      canRun: has("python3", "--version"),
    },
  ],
  [
    "fetch of Node",
    "node scripts/install-runners.mjs",
    {
      file: "ask.mjs",
      text: `${FETCH}await fetch(url, asked);`,
      command: [newNode, "ask.mjs"],
      canRun: existsSync(newNode),
    },
  ],
  [
    "curl",
    "curl",
    {
      file: "ask.sh",
      text: `curl -s -H 'content-type: application/json' -d '${BODY}' "$OPENAI_BASE_URL/chat/completions"`,
      command: ["sh", "ask.sh"],
      canRun: has("curl", "--version"),
    },
  ],
];

/** A proxy for plain HTTP, and the variables that name it. `requests`: all that came to it. */
async function aProxy() {
  const requests: string[] = [];
  const origin = await aServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  });
  const env = {
    HTTP_PROXY: origin,
    http_proxy: origin,
    NODE_USE_ENV_PROXY: "1",
  };
  return { requests, env };
}

describe("with a proxy set and no NO_PROXY", () => {
  it.for(CLIENTS)("%s calls Tapedeck and not the proxy (needs %s)", async ([, needs, client], { skip }) => {
    skip(!client.canRun, `this client is not here: ${needs}`);
    const { requests, env } = await aProxy();
    const cwd = aProject({ [client.file]: client.text });

    const { stderr } = await tapedeck(["run", "--", ...client.command], { cwd, env });

    expect(requests).toEqual([]);
    expect(stderr).toContain("1 missing · 0 sent");
  });
});

describe("a run without calls", () => {
  const NOTHING = ["run", "--", process.execPath, "-e", "0"];

  it("names the variable that set a proxy, and reports that calls may have gone there", async () => {
    const { env } = await aProxy();

    const { stderr } = await tapedeck(NOTHING, { cwd: aProject(), env });

    expect(stderr).toMatch(/No call reached Tapedeck[^]*HTTP_PROXY is set/);
  });

  it("mentions no proxy without one", async () => {
    const { stderr } = await tapedeck(NOTHING, { cwd: aProject() });

    expect(stderr).toContain("No call reached Tapedeck");
    expect(stderr).not.toContain("_PROXY");
  });
});

it("serve prints both spellings, with the hosts that one of them had", async () => {
  const { ready } = await serving([], { cwd: aProject(), env: { no_proxy: "corp.internal," } });

  expect(ready.env).toMatchObject({
    NO_PROXY: "corp.internal,127.0.0.1,localhost,::1",
    no_proxy: "corp.internal,127.0.0.1,localhost,::1",
  });
});

it.skipIf(process.platform === "win32" || !has("python3", "--version"))(
  "a shell that sets NO_PROXY once more does not send Node's or Python's calls to the proxy (needs sh and python3)",
  async () => {
    const { requests, env } = await aProxy();
    const show = "NO_PROXY=corp.internal no_proxy=corp.internal";
    const script = `${show} ${JSON.stringify(process.execPath)} -p 'process.env.NO_PROXY + " " + process.env.no_proxy'
${show} python3 -c 'import os; print(os.environ["NO_PROXY"], os.environ["no_proxy"])'`;

    const { stdout } = await tapedeck(["run", "--", "sh", "-c", script], { cwd: aProject(), env });

    const both = "corp.internal,127.0.0.1,localhost,::1 corp.internal,127.0.0.1,localhost,::1";
    expect(stdout.trimEnd().split("\n")).toEqual([both, both]);
    expect(requests).toEqual([]);
  },
);
