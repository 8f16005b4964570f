import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderHtmlReport } from "../../src/cli/report/html.ts";
import { completeRun } from "../../src/deck/complete-calls.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { readRun, listRuns } from "../../src/storage/runs/kept-runs.ts";
import { aRun, aRunCall } from "../support/a-run.ts";
import { aServer } from "../support/a-server.ts";
import { send } from "../support/http-client.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

const ASK = `const ask = (content) => fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer k" },
  body: JSON.stringify({ model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content }] }),
}).then((reply) => reply.text());
for (const content of process.argv.slice(2)) await ask(content);
`;
const script = (...asked: readonly string[]) => ["--", process.execPath, "ask.mjs", ...asked];

const CHUNK = { id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-4o-mini" };
const USAGE = {
  prompt_tokens: 12,
  completion_tokens: 4,
  total_tokens: 16,
  prompt_tokens_details: { cached_tokens: 8 },
};
const EVENTS = [
  ...["It", " ships", " Friday"].map((content) => ({
    ...CHUNK,
    choices: [{ index: 0, delta: { content } }],
  })),
  { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { ...CHUNK, choices: [], usage: USAGE },
].map((event) => `data: ${JSON.stringify(event)}\n\n`);

/** Answers every call with the same stream. */
function anUpstream(): Promise<string> {
  return aServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      for (const event of EVENTS) response.write(event);
      response.end("data: [DONE]\n\n");
    });
  });
}

/** Calls a server as the script does. */
const ask = (url: string, content: string) =>
  send(`${url}/openai/v1/chat/completions`, {
    headers: { "content-type": "application/json", authorization: "Bearer k" },
    body: JSON.stringify({ model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content }] }),
  });

/** A project in which a server recorded a stream. */
async function aRecordedProject(): Promise<string> {
  const url = await anUpstream();
  const cwd = aProject({ "ask.mjs": ASK });
  const server = await serving(["--mode", "record", "--upstream", `openai=${url}`], { cwd });
  await ask(server.ready.url, "Where is my order?");
  await server.end();
  return cwd;
}

describe("a run of the command line", () => {
  it("is not kept in CI, but shown if a report is requested, as a separate page without links to a server", async () => {
    const cwd = await aRecordedProject();
    const kept = await listRuns(join(cwd, ".tapedeck"));
    const env = { CI: "true" };

    await tapedeck(["run", ...script("Where is my order?")], { cwd, env });
    const quiet = await listRuns(join(cwd, ".tapedeck"));
    await tapedeck(["run", "--report", "html=out/run.html", ...script("Where is my order?")], { cwd, env });

    expect(kept).toHaveLength(1);
    expect(quiet).toEqual(kept);
    const page = readFileSync(join(cwd, "out", "run.html"), "utf8");
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).toMatch(/▶ 1 Where is my order\?/);
    expect(page).not.toMatch(/<(?:script|link|img|iframe)|src=|@import|https?:/);
  });

  it("shows what its calls took: now, and when they were recorded", async () => {
    const cwd = aProject({ "ask.mjs": ASK });
    const record = ["run", "--mode", "record", "--upstream", `openai=${await anUpstream()}`];
    await tapedeck([...record, ...script("Where is my order?")], { cwd });
    await tapedeck(["run", ...script("Where is my order?", "Where is my parcel?")], { cwd });

    const dir = join(cwd, ".tapedeck");
    const deck = openDeck({ dir });
    const shown = async (id: string) => {
      const kept = await readRun(dir, id);
      return kept && completeRun(kept, deck);
    };
    const [replayed, recorded] = await Promise.all((await listRuns(dir)).map(({ id }) => shown(id)));
    const [made] = recorded?.calls ?? [];
    expect(recorded).toMatchObject({ mode: "record", source: "command", passed: true });
    expect(made).toMatchObject({
      outcome: "recorded",
      label: "Where is my order?",
      tokens: { input: 12, output: 4 },
    });
    expect(made?.firstByteMs).toBeGreaterThan(0);
    expect(made?.firstByteMs).toBeLessThanOrEqual(made?.ms ?? 0);
    expect(replayed?.calls).toMatchObject([
      {
        outcome: "replayed",
        answered: '"It ships Friday"',
        tokens: { input: 12, output: 4, cached: 8 },
        costUsd: expect.any(Number) as number,
        recorded: { ms: made?.ms, firstByteMs: made?.firstByteMs },
      },
      { outcome: "miss", label: "Where is my parcel?" },
    ]);
    expect(replayed?.calls[1]?.note).toBe("messages[0] (user) differs");
  });

  it("is remembered of a server as well, once it has ended, and counted", async () => {
    const cwd = await aRecordedProject();
    const server = await serving([], { cwd });
    await ask(server.ready.url, "Where is my order?");
    expect(await listRuns(join(cwd, ".tapedeck"))).toHaveLength(1);
    await server.end();

    const [served] = await listRuns(join(cwd, ".tapedeck"));
    expect(served).toMatchObject({ title: "tapedeck serve", mode: "strict", counts: { replayed: 1 } });
    expect(served).not.toHaveProperty("passed");
  });

  it("is remembered without its command when that may hold a credential", async () => {
    const cwd = await aRecordedProject();
    await tapedeck(["run", ...script("Where is my order?", "--api-key", "hunter2hunter2")], { cwd });

    const folder = join(cwd, ".tapedeck", ".local", "runs");
    const last = readdirSync(folder).sort().at(-1) ?? "";
    const [head = ""] = readFileSync(join(folder, last), "utf8").split("\n");
    expect(JSON.parse(head)).not.toHaveProperty("title");
  });

  it("leaves nothing when no call came, and no folder when there was none", async () => {
    const cwd = aProject();
    await tapedeck(["run", "--", "true"], { cwd });

    expect(readdirSync(cwd)).toEqual([]);
  });
});

it("shows untrusted text in the page as text", () => {
  const hostile = `</pre><img src=x onerror="window.hurt=1"><style>*{display:none}</style><!--`;
  const test = { file: hostile, name: [hostile] };
  const call = aRunCall(hostile, { model: hostile, note: hostile, outcome: "miss", test });
  const page = renderHtmlReport(aRun([call], { title: hostile }));

  expect(page.match(/<(?!\/?(?:html|head|meta|title|style|body|main|pre|hr)\b|!DOCTYPE)[^>]*/g)).toBeNull();
  expect(page.match(/<style/g)).toHaveLength(1);
});
