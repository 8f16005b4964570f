import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { madeUpSecrets } from "../support/made-up-secrets.ts";
import { anUpstream } from "./an-upstream.ts";
import { filesBelow } from "./recordings.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

const TOKEN = madeUpSecrets()["GitHub token"] ?? "";

interface Request {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly test?: { readonly file?: string; readonly name: readonly string[] };
}

const tool = (text: string): object => ({
  id: "t",
  type: "function",
  function: { name: "look", arguments: JSON.stringify({ note: text }) },
});

/** A call with a secret at each place where a call and its test have text. The reply repeats the prompt. */
const PLACES: Readonly<Record<string, Request>> = {
  "title of a test": { test: { name: ["login", `says no to ${TOKEN}`] } },
  "name of a test's file": { test: { file: `${TOKEN}.test.mjs`, name: ["login"] } },
  "prompt and reply": { body: { messages: [{ role: "user", content: `Use ${TOKEN} for it.` }] } },
  "prompt and streamed reply": {
    body: { stream: true, messages: [{ role: "user", content: `Use ${TOKEN} for it.` }] },
  },
  header: { headers: { "x-note": TOKEN } },
  query: { path: `?note=${TOKEN}` },
  "name of a model": { body: { model: `m-${TOKEN}` } },
  "arguments of a tool": {
    body: {
      messages: [
        { role: "assistant", content: null, tool_calls: [tool(TOKEN)] },
        { role: "tool", tool_call_id: "t", content: "done" },
      ],
    },
  },
};

/** Where the policies that keep nothing still show a call on this machine. */
const SHOWN_WITHOUT_REDACTING = new Set([
  "prompt and reply",
  "prompt and streamed reply",
  "query",
  "name of a model",
  "arguments of a tool",
]);

function programOf({ path = "", headers, body, test = { name: ["login"] } }: Request): string {
  const said = { v: 1, runner: "vitest", file: test.file ?? "a.test.mjs", name: test.name, line: 3 };
  const sent = { model: "m", messages: [{ role: "user", content: "Go." }], ...body };
  return `const test = ${JSON.stringify(said)};
    test.file = process.cwd() + "/" + test.file;
    const reply = await fetch(process.env.OPENAI_BASE_URL + ${JSON.stringify(`/chat/completions${path}`)}, {
      method: "POST",
      headers: { "content-type": "application/json", "x-tapedeck-test": encodeURIComponent(JSON.stringify(test)), ...${JSON.stringify(headers ?? {})} },
      body: ${JSON.stringify(JSON.stringify(sent))},
    });
    await reply.text();
    process.exitCode = reply.status === 500 ? 9 : 0;`;
}

const REPORTS = ["junit=a.xml", "markdown=a.md", "html=a.html", "github"];

describe.each(["redact", "drop", "fail"])("a project with the policy %s", (policy) => {
  it.each(Object.entries(PLACES))("keeps and shows no secret: %s", async (place, request) => {
    const upstream = await anUpstream();
    const cwd = aProject({
      "tapedeck.jsonc": JSON.stringify({ secrets: policy }),
      "ask.mjs": programOf(request),
    });
    const run = (mode: string): ReturnType<typeof tapedeck> =>
      tapedeck(
        [
          "run",
          "--mode",
          mode,
          "--log",
          "json",
          ...(mode === "record" ? upstream.options : []),
          ...REPORTS.flatMap((one) => ["--report", one]),
          "--",
          process.execPath,
          "ask.mjs",
        ],
        { cwd },
      );
    const reports = (): string =>
      ["a.xml", "a.md", "a.html"].map((name) => readFileSync(join(cwd, name), "utf8")).join("\n");

    const recorded = await run("record");
    const shownBy = [recorded.stdout, recorded.stderr, reports()];
    const strict = await run("strict");
    shownBy.push(strict.stdout, strict.stderr, reports());
    const dir = join(cwd, ".tapedeck");
    const files = existsSync(dir) ? filesBelow(dir) : [];
    const entry = files.find((file) => file.startsWith("calls/"));
    const commands = [["list"], ["list", "--json"], ["check"], ["report"]];
    if (entry !== undefined) commands.push(["show", entry], ["show", entry, "--json"]);
    for (const command of commands) {
      const { stdout, stderr } = await tapedeck(command, { cwd });
      shownBy.push(stdout, stderr);
    }
    const kept = files.map((file) => `${file}\n${readFileSync(join(dir, file), "utf8")}`);

    expect(recorded.code).not.toBe(9);
    expect(kept.filter((text) => text.includes(TOKEN))).toEqual([]);
    const isHidden = policy === "redact" || !SHOWN_WITHOUT_REDACTING.has(place);
    expect(shownBy.filter((text) => isHidden && text.includes(TOKEN))).toEqual([]);
    expect(policy !== "redact" || entry !== undefined).toBe(true);
  });
});
