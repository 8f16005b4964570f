import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { finished, start } from "../a-process.ts";
import { anUpstream } from "../an-upstream.ts";
import { aRecordedProject } from "../recordings.ts";
import { aProject, tapedeck } from "../tapedeck.ts";
import { aServer } from "../../support/a-server.ts";
import { itLong } from "../../support/long.ts";

/** Asks OpenAI through the environment alone, as a user's program does, and fails as one does. */
const ASK = `
const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
for (const content of process.argv.slice(2)) {
  const reply = await fetch(OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer " + OPENAI_API_KEY },
    body: JSON.stringify({ model: "gpt-4o-mini", temperature: 0.2, messages: [{ role: "user", content }] }),
  });
  console.log(reply.status);
}
`;
const node = (...args: string[]) => ["--", process.execPath, ...args];

/** What hooks ask first, in a process that ends as soon as it has asked. */
const ASK_AND_END = `const { createHash } = require("node:crypto");
const { hostname, port, host, pathname } = new URL(process.env.TAPEDECK_URL);
const id = createHash("sha256").update("tapedeck id\\n" + pathname.slice(1)).digest("hex").slice(0, 32);
const socket = require("node:net").connect(Number(port), hostname);
socket.write("GET /@proof/" + id + "/" + "0".repeat(32) + " HTTP/1.1\\r\\nhost: " + host + "\\r\\n\\r\\n", () => process.exit());
`;

/** A project in which "Say hi" is recorded. */
const aProjectWithHi = (files: Readonly<Record<string, string>>) =>
  aRecordedProject([{ text: "Say hi", temperature: 0.2 }], { "ask.mjs": ASK, ...files });

describe("the command's environment", () => {
  /** The environment of a command that prints it. A shell's program starts much faster than Node. */
  async function environment(args: readonly string[], cwd = aProject(), env: Record<string, string> = {}) {
    const command = args.includes("--") ? [] : ["--", "env"];
    const { stdout } = await tapedeck(["run", ...args, ...command], { cwd, env });
    return Object.fromEntries(
      stdout.split("\n").map((line) => [line.replace(/=.*$/, ""), line.replace(/^[^=]*=/, "")]),
    ) as Record<string, string>;
  }

  it("points its clients here, names the folders of its tests, and keeps what was there", async () => {
    const cwd = aProject();
    const env = { NODE_OPTIONS: "--no-warnings", PYTHONPATH: "/opt/mine", OWN: "1" };

    const seen = await environment([], cwd, env);

    expect(seen).toMatchObject({
      OPENAI_BASE_URL: `${seen["TAPEDECK_URL"]}/openai/v1`,
      ANTHROPIC_BASE_URL: `${seen["TAPEDECK_URL"]}/anthropic`,
      ANTHROPIC_FOUNDRY_BASE_URL: expect.stringContaining(seen["TAPEDECK_URL"] ?? ""),
      TAPEDECK_ROOTS: cwd,
      NODE_OPTIONS: expect.stringMatching(/^--no-warnings --require/),
      PYTHONPATH: expect.stringMatching(/.+[:;]\/opt\/mine$/),
      OWN: "1",
    });
  });

  it.each([
    ["strict", true],
    ["lenient", true],
    ["record", false],
    ["refresh", false],
    ["live", false],
  ])("in %s mode, placeholders for keys that the user does not have: %j", async (mode, placed) => {
    const seen = await environment(["--mode", mode], aProject(), { ANTHROPIC_API_KEY: "sk-own" });

    const ofFrameworks = ["GOOGLE_GENERATIVE_AI_API_KEY", "COHERE_API_KEY", "KIMI_API_KEY"];
    for (const name of ["OPENAI_API_KEY", ...ofFrameworks])
      expect([name, name in seen]).toEqual([name, placed]);
    expect(seen["ANTHROPIC_API_KEY"]).toBe("sk-own");
  });

  it.each([
    ["openai", []],
    ["openrouter", ["OPENROUTER_API_KEY"]],
    ["vercel", ["AI_GATEWAY_API_KEY"]],
  ])(
    "has one for a gateway that programs call if its key is set, with recordings of %s: %j",
    async (name, placed) => {
      const cwd = aProject({ [`.tapedeck/calls/${name}/.gitkeep`]: "" });
      const seen = await environment([], cwd);

      expect(["OPENROUTER_API_KEY", "AI_GATEWAY_API_KEY"].filter((key) => key in seen)).toEqual(placed);
    },
  );

  it.each([
    [{}, "openai"],
    [{ OPENAI_API_TYPE: "azure" }, "azure"],
    [{ AZURE_OPENAI_API_KEY: "own" }, undefined],
  ])("selects the key for openai-python's module when it has two of ours: %j", async (env, said) => {
    expect((await environment([], aProject(), env))["OPENAI_API_TYPE"]).toBe(said);
  });

  it.each([[{}, "loose"] as const, [{ TURBO_ENV_MODE: "strict" }, "strict"] as const])(
    "reaches the tasks of Turborepo unless you choose its mode: %j",
    async (env, mode) => {
      expect((await environment([], aProject(), env))["TURBO_ENV_MODE"]).toBe(mode);
    },
  );

  const BEDROCK = "AWS_BEARER_TOKEN_BEDROCK";
  const TOKENS = "new AzureOpenAI({ azureADTokenProvider: async () => token })";
  it.each<[string, Record<string, string>, string, boolean]>([
    ["a key of AWS's", { AWS_ACCESS_KEY_ID: "AKIDOWN" }, BEDROCK, false],
    ["AWS's file", { "/.aws/credentials": "[default]\naws_access_key_id = AKIDOWN\n" }, BEDROCK, false],
    ["a role of a pod", { AWS_WEB_IDENTITY_TOKEN_FILE: "/var/run/token" }, BEDROCK, false],
    // Who has to be asked for it cannot be without a network.
    ["AWS's sign-on", { "/.aws/config": "[default]\nsso_session = work\n" }, BEDROCK, true],
    ["a token of Anthropic's", { ANTHROPIC_AUTH_TOKEN: "own" }, "ANTHROPIC_API_KEY", false],
    ["Google's other key", { GOOGLE_API_KEY: "own" }, "GEMINI_API_KEY", false],
    ["Google's key of vercel/ai", { GOOGLE_GENERATIVE_AI_API_KEY: "own" }, "GEMINI_API_KEY", false],
    ["code that makes Azure's tokens", { "/src/ask.ts": TOKENS }, "AZURE_OPENAI_API_KEY", false],
    ["code of a package that does", { "/node_modules/a/ask.ts": TOKENS }, "AZURE_OPENAI_API_KEY", true],
  ])("holds no placeholder beside the user's own credential, %s", async (_, given, name, placed) => {
    const entries = Object.entries(given);
    const cwd = aProject(Object.fromEntries(entries.filter(([at]) => at.startsWith("/"))));
    const env = { HOME: cwd, ...Object.fromEntries(entries.filter(([at]) => !at.startsWith("/"))) };
    // The hooks in Node remove variables that override the addresses in code.
    const inNode = node("-e", "for (const name in process.env) console.log(`${name}=${process.env[name]}`)");

    expect(name in (await environment(given["/src/ask.ts"] ? inNode : [], cwd, env))).toBe(placed);
  });
});

describe("the exit code", () => {
  it("is 0 when everything was answered, 3 when a strict run missed, and the command's own when that is not 0", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ "ask.mjs": ASK, "fail.mjs": `${ASK}process.exit(7)` });
    const record = ["--mode", "record", ...upstream.options];

    const recorded = await tapedeck(["run", ...record, ...node("ask.mjs", "Say hi")], { cwd });
    const answered = await tapedeck(["run", "--require-calls", ...node("ask.mjs", "Say hi")], { cwd });
    const missed = await tapedeck(["run", ...node("ask.mjs", "Say bye")], { cwd });
    const failed = await tapedeck(["run", ...node("fail.mjs", "Say bye")], { cwd });

    expect([recorded, answered, missed, failed].map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, "200\n"],
      [0, "200\n"],
      [3, "404\n"],
      [7, "404\n"],
    ]);
    expect(recorded.stderr).toContain("0 replayed · 1 recorded · 0 missing · 1 sent");
  });

  it("is 4 with --require-calls when no call came, and 0 without", async () => {
    const cwd = aProject();

    const silent = node("-e", "setTimeout(() => {}, 20)");

    const required = await tapedeck(["run", "--require-calls", ...silent], { cwd });
    const not = await tapedeck(["run", "--", "true"], { cwd });

    expect([required.code, not.code]).toEqual([4, 0]);
    expect(required.stderr).toMatch(
      /No call reached Tapedeck\. The tests made no calls, mock them .* base-URL variable or TAPEDECK_URL in the client\. For a client in Bun/,
    );
    expect(not.stderr).toMatch(
      /No call reached Tapedeck\. No Node or Python process that could make a call reported .* tox, and turbo do not pass them, .*\nWith --require-calls, such a run fails\./,
    );
  });

  it("reports that a failed command without calls may have ended before its first", async () => {
    const cwd = aProject();

    const failed = await tapedeck(["run", ...node("-e", "setTimeout(() => process.exit(3), 20)")], { cwd });
    const other = await tapedeck(["run", "--", "false"], { cwd });

    expect(failed.stderr).toMatch(
      /No call reached Tapedeck\. .*\n +the command failed with 3, maybe before its first call/,
    );
    expect(other.stderr).toMatch(
      /do not pass them, .*\n +the command failed with 1, maybe before its first call/,
    );
  });

  it("names a run that the command itself starts, which answers the calls", async () => {
    const inner = "node_modules/llm-tapedeck/dist/cli.js";

    const { stderr } = await tapedeck(["run", ...node(inner)], { cwd: aProject({ [inner]: "" }) });

    expect(stderr).toContain(
      "No call reached Tapedeck. The command starts tapedeck itself, and that run gets the calls. To get them here, remove tapedeck from the command.",
    );
  });

  it("counts a process that ended before the server had answered its first question", async () => {
    const cwd = aProject({ "ask.cjs": ASK_AND_END });

    const command = ["--", "env", "NODE_OPTIONS=", process.execPath, "ask.cjs"];
    const { stderr } = await tapedeck(["run", "--require-calls", ...command], { cwd });

    expect(stderr).toContain("No call reached Tapedeck. The tests made no calls");
  });

  it.each([
    ["no-such-command-here", "there is no such command."],
    ["./plain.txt", "permission is denied for it, or for a folder in PATH."],
  ])("is 1 when the command cannot be started, with the command and the reason: %s", async (command, why) => {
    const cwd = aProject({ "plain.txt": "text" });

    // A folder of PATH that may not be looked into would be the reason for any command that is not found.
    const env = { PATH: dirname(process.execPath) };
    const { code, stderr } = await tapedeck(["run", "--", command], { cwd, env });

    expect(code).toBe(1);
    expect(stderr).toContain(`"${command}" could not be started: ${why}`);
  });
});

describe("signals", () => {
  /**
   * A runner that never ends and ignores signals, with a worker that does the same. The worker holds our end of their
   * output: for a reader of it the run ends only when both are gone.
   */
  const STUBBORN = `
const ignore = 'for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => {}); setTimeout(() => {}, 100000);';
eval(ignore);
require("node:child_process")
  .spawn(process.execPath, ["-e", ignore + "console.log('up')"], { stdio: ["ignore", "inherit", "ignore"] });`;

  it.skipIf(process.platform === "win32")(
    "end a test that never ends, with all that it started, at the second one, and the report is there (POSIX)",
    async () => {
      const child = start(["run", "--json", ...node("-e", STUBBORN)], { cwd: aProject() });
      const ended = finished(child);
      await new Promise((up) => child.stdout?.once("data", up));

      child.kill("SIGINT");
      child.kill("SIGTERM");

      const { code, stdout, stderr } = await ended;
      expect(code).toBe(137);
      expect(stdout).toContain('"event":"report"');
      expect(stderr).toContain("0 replayed");
    },
  );

  it.skipIf(process.platform === "win32")(
    "reach the command, whose way of ending decides, and take along what it leaves behind (POSIX)",
    async () => {
      const leaving = STUBBORN.replace("eval(ignore);", 'process.on("SIGTERM", () => process.exit(5));');
      const child = start(["run", ...node("-e", leaving)], { cwd: aProject() });
      const ended = finished(child);
      await new Promise((up) => child.stdout?.once("data", up));

      child.kill("SIGTERM");

      expect(await ended).toMatchObject({ code: 5, stderr: expect.stringContaining("0 replayed") });
    },
  );
});

describe("the report", () => {
  it("counts, names each missing call with what differs, and gives the command that records them, as text and as a line of JSON", async () => {
    const { cwd } = await aProjectWithHi({ "warmer.mjs": ASK.replace("0.2", "0.7") });
    const command = node("warmer.mjs", "Say hi", "Say hi");
    const options = ["--json", "--upstream", "openai=http://127.0.0.1:9"];

    const { code, stdout, stderr } = await tapedeck(["run", ...options, ...command], { cwd });

    const lines = stderr.trimEnd().split("\n");
    expect(lines[0]).toBe("0 replayed · 2 missing · 0 sent");
    expect(lines[1]).toMatch(/^✘ /);
    expect(lines[2]).toMatch(
      /^ {4}No recording for this gpt-4o-mini call \("Say hi"\), key [0-9a-f]{8}… 2 times\.$/,
    );
    expect(lines[3]).toMatch(
      /^ {4}Differs from the nearest recording \([0-9a-f]{8}…\): temperature 0\.2 → 0\.7\.$/,
    );
    expect(lines.at(-1)).toMatch(/^Record them: node .*cli\.js run --mode record --last$/);
    expect(code).toBe(3);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      event: "report",
      mode: "strict",
      requests: 2,
      counts: { replayed: 0, recorded: 0, forwarded: 0, defaulted: 0, miss: 2, refused: 0 },
      leftMachine: 0,
      command: 0,
      exit: 3,
      findings: [
        {
          kind: "missing",
          model: "gpt-4o-mini",
          label: "Say hi",
          nearest: expect.stringMatching(/^calls\/openai\//),
          differences: [{ kind: "changed" }],
        },
      ],
    });
  });

  it("lists forwarded calls with the reason why they were not recorded", async () => {
    const { options } = await anUpstream();
    const cwd = aProject({ "other.mjs": ASK.replace("/chat/completions", "/nowhere") });
    const record = ["run", "--mode", "record", ...options];

    const { stderr } = await tapedeck([...record, ...node("other.mjs", "x")], { cwd });

    expect(stderr).toContain("1 sent, 1 of them not recorded");
    expect(stderr).toMatch(/^! openai answered with status 404/m);
  });

  it.each([
    [
      "rot13",
      'The response has the content encoding "rot13", which this Node.js cannot decode; it was forwarded and not recorded.',
    ],
    [
      "gzip",
      "The response does not match its content encoding (incorrect header check); the client got an error.",
    ],
  ])("names the encoding of a response that cannot be read: %s", async (encoding, reason) => {
    const url = await aServer((_, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end("Uryyb");
    });
    const cwd = aProject({ "ask.mjs": ASK });
    const record = ["run", "--mode", "record", "--upstream", `openai=${url}`];

    const { stderr } = await tapedeck([...record, ...node("ask.mjs", "x")], { cwd });

    expect(stderr).toContain(`! ${reason} Have the server send`);
  });

  it("counts no call as sent to which no connection was made", async () => {
    const cwd = aProject({ "ask.mjs": ASK });
    const command = ["--mode", "record", "--upstream", "openai=http://127.0.0.1:1", ...node("ask.mjs", "x")];

    const { stderr } = await tapedeck(["run", ...command], { cwd });

    expect(stderr).toContain("0 replayed · 1 refused · 0 missing · 0 sent\n");
    expect(stderr).toContain("! Tapedeck could not reach openai at http://127.0.0.1:1");
    expect(stderr).not.toContain("Spent:");
  });
});

describe("bad input", () => {
  itLong(
    "a syntax error in the test file is the runner's to tell: its code, its words, and a report",
    async () => {
      const cwd = aProject({ "a.test.mjs": "it('is torn', () => {" });

      const { code, stdout, stderr } = await tapedeck(["run", ...node("--test", "a.test.mjs")], { cwd });

      expect(code).toBe(1);
      expect(stdout).toContain("SyntaxError");
      expect(stderr).toContain("0 replayed");
    },
  );

  it("headers that are forged, broken or oversized change neither answer nor key, and name no test", async () => {
    const forge = `
const outside = encodeURIComponent(JSON.stringify({ v: 1, runner: "x", file: "/etc/passwd", name: ["x"] }));
const values = ["%E0%A4%A", "null", "[]", "%7B", outside, "x".repeat(12_000), encodeURIComponent('{"v":1,"file":7}')];
const send = globalThis.fetch;
globalThis.fetch = (url, init) => send(url, { ...init, headers: { ...init.headers, "x-tapedeck-test": values.pop() } });
`;
    const { cwd } = await aProjectWithHi({ "forged.mjs": forge + ASK });
    const asked = Array.from({ length: 7 }, () => "Say hi");

    const { code, stdout } = await tapedeck(["run", "--log", "json", ...node("forged.mjs", ...asked)], {
      cwd,
    });

    const events = stdout.split("\n").filter((line) => line.startsWith("{"));
    expect(code).toBe(0);
    expect(events.map((line) => JSON.parse(line) as object)).toEqual(
      Array.from({ length: 7 }, () => expect.objectContaining({ outcome: "replayed" })),
    );
    expect(events.join()).not.toMatch(/passwd|"test"/);
  });
});
