import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { madeUpSecrets } from "../support/made-up-secrets.ts";
import { casesOf } from "../support/cases.ts";
import { seeded } from "../support/seeded.ts";
import { anUpstream } from "./an-upstream.ts";
import { aProject, tapedeck } from "./tapedeck.ts";
import { filesBelow } from "../support/files-below.ts";

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
const PLACES: Readonly<Record<string, (token: string) => Request>> = {
  "title of a test": (token) => ({ test: { name: ["login", `rejects ${token}`] } }),
  "name of a test's file": (token) => ({ test: { file: `${token}.test.mjs`, name: ["login"] } }),
  "prompt and reply": (token) => ({
    body: { messages: [{ role: "user", content: `Use ${token} for it.` }] },
  }),
  "prompt and streamed reply": (token) => ({
    body: { stream: true, messages: [{ role: "user", content: `Use ${token} for it.` }] },
  }),
  header: (token) => ({ headers: { "x-note": token } }),
  query: (token) => ({ path: `?note=${token}` }),
  "name of a model": (token) => ({ body: { model: `m-${token}` } }),
  "arguments of a tool": (token) => ({
    body: {
      messages: [
        { role: "assistant", content: null, tool_calls: [tool(token)] },
        { role: "tool", tool_call_id: "t", content: "done" },
      ],
    },
  }),
};

/** Where the policies that keep nothing still show a call on this machine. */
const SHOWN_WITHOUT_REDACTING = new Set([
  "prompt and reply",
  "prompt and streamed reply",
  "query",
  "name of a model",
  "arguments of a tool",
]);

/** Each place has a different token, so that a token that is found identifies its place. */
const TOKENS = Object.keys(PLACES).map((place, at) => {
  const token = madeUpSecrets(seeded(20 + at))["GitHub token"] ?? "";
  return { place, token };
});

/** Makes the calls one after another with different prompts, so that each has a recording. */
const PROGRAM = `for (const { place, request } of ${JSON.stringify(
  TOKENS.map(({ place, token }) => ({ place, request: PLACES[place]?.(token) })),
)}) {
  const { path = "", headers, body, test = { name: ["login"] } } = request;
  const said = { v: 1, runner: "vitest", line: 3, ...test, file: process.cwd() + "/" + (test.file ?? "a.test.mjs") };
  const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions" + path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-tapedeck-test": encodeURIComponent(JSON.stringify(said)), ...headers },
    body: JSON.stringify({ model: "m", user: place, messages: [{ role: "user", content: "Go." }], ...body }),
  });
  await reply.text();
  if (reply.status === 500) process.exitCode = 9;
}`;

const REPORTS = ["junit=a.xml", "markdown=a.md", "html=a.html", "github"];

// `test/core/secrets` and `test/cli/secrets.test.ts` have the other policies.
it.each(casesOf({ quick: ["redact"], long: ["redact", "drop", "fail"] }))(
  "a project with the policy %s keeps and shows no secret, wherever a call has it",
  async (policy) => {
    const upstream = await anUpstream();
    const cwd = aProject({ "tapedeck.jsonc": JSON.stringify({ secrets: policy }), "ask.mjs": PROGRAM });
    const reports = REPORTS.flatMap((report) => ["--report", report]);
    const shownBy: string[] = [];
    const run = async (...options: readonly string[]) => {
      const args = ["run", "--log", "json", ...options, ...reports, "--", process.execPath, "ask.mjs"];
      const { code, stdout, stderr } = await tapedeck(args, { cwd });
      shownBy.push(
        stdout,
        stderr,
        ...["a.xml", "a.md", "a.html"].map((name) => readFileSync(join(cwd, name), "utf8")),
      );
      return code;
    };

    const codes = [await run("--mode", "record", ...upstream.options), await run("--mode", "strict")];
    const dir = join(cwd, ".tapedeck");
    const files = existsSync(dir) ? filesBelow(dir) : [];
    const entries = files.filter((file) => file.startsWith("calls/"));
    const shows = entries.flatMap((entry) => [
      ["show", entry],
      ["show", entry, "--json"],
    ]);
    for (const command of [["list"], ["list", "--json"], ["check"], ...shows]) {
      const { stdout, stderr } = await tapedeck(command, { cwd });
      shownBy.push(stdout, stderr);
    }
    const kept = files.map((file) => `${file}\n${readFileSync(join(dir, file), "utf8")}`);
    const placesIn = (texts: readonly string[]) =>
      TOKENS.filter(({ token }) => texts.some((text) => text.includes(token))).map(({ place }) => place);

    expect(codes).not.toContain(9);
    expect(upstream.requests).toHaveLength(TOKENS.length);
    expect(placesIn(kept)).toEqual([]);
    expect(
      placesIn(shownBy).filter((place) => policy === "redact" || !SHOWN_WITHOUT_REDACTING.has(place)),
    ).toEqual([]);
    expect(entries).toHaveLength(policy === "redact" ? TOKENS.length : entries.length);
  },
);
