import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { aServer } from "../../support/a-server.ts";
import { casesOf } from "../../support/cases.ts";
import { aRecordedProject, say } from "../recordings.ts";
import { aProject, serving, tapedeck } from "../tapedeck.ts";

const TEST = { file: "tests/chat.test.ts", name: ["chat", "answers in one word"], line: 12 };
const CALLS = [
  { text: "Say hi", test: TEST },
  { text: "Say bye\nand mean it", provider: "anthropic", stream: true },
] as const;

const digitsOf = (entry: string) => entry.split("/").at(-1)?.slice(0, 8) ?? "";

describe("list", () => {
  it("prints a line for each recording: its name for show, the prompt, the provider, the test", async () => {
    const { cwd, entries } = await aRecordedProject(CALLS);

    const { code, stdout, stderr } = await tapedeck(["list"], { cwd });

    const lines = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines).toEqual([
      `${digitsOf(entries[1] ?? "")}    anthropic   "Say bye"  claude-sonnet-4 · 12 tokens · now`,
      `${digitsOf(entries[0] ?? "")}    openai      "Say hi"  gpt-4o-mini · answers in one word · 12 tokens · now`,
    ]);
    expect(stderr).toBe("2 recordings in .tapedeck\n");
  });

  it("prints the status of recorded errors, as show does", async () => {
    const upstream = await aServer((_, response) => {
      response.writeHead(429, { "content-type": "application/json" });
      response.end('{"error":{"message":"Slow down","type":"rate_limit_error"}}');
    });
    const cwd = aProject({ "tapedeck.jsonc": '{ "record": { "errors": true } }' });
    const served = await serving(["--mode", "record", "--upstream", `openai=${upstream}`], { cwd });
    const entry = await say(served.ready.url, cwd, { text: "Say hi" });
    await served.end();

    const listed = await tapedeck(["list"], { cwd });
    const shown = await tapedeck(["show", entry], { cwd });

    expect(listed.stdout).toContain('"Say hi"  gpt-4o-mini · status 429 · now');
    expect(shown.stdout).toMatch(/── \w+ ─+ status 429/);
    expect(shown.stdout).toContain("Slow down");
  });

  it("gives an array of them to programs", async () => {
    const { cwd, entries } = await aRecordedProject(CALLS);

    const { code, stdout } = await tapedeck(["list", "--json"], { cwd });

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        entry: entries[1],
        key: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        provider: "anthropic",
        operation: "messages",
        model: "claude-sonnet-4",
        label: "Say bye",
        recordedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        take: 1,
        test: null,
        status: 200,
        bytes: { request: expect.any(Number), reply: expect.any(Number) },
        costUsd: expect.any(Number),
      },
      expect.objectContaining({ entry: entries[0], operation: "chat.completions", test: TEST }),
    ]);
  });

  it("lists broken recordings among the others, with position and reason", async () => {
    const { cwd, dir, entries } = await aRecordedProject(CALLS);
    appendFileSync(join(dir, entries[0] ?? ""), "}");

    const text = await tapedeck(["list"], { cwd });
    const json = await tapedeck(["list", "--json", "--dir", dir], { cwd: aProject() });
    const shown = await tapedeck(["show", entries[0] ?? ""], { cwd });

    const rows = JSON.parse(json.stdout) as Record<string, unknown>[];
    expect([text.code, json.code, shown.code]).toEqual([0, 0, 1]);
    expect(shown.stderr).toMatch(new RegExp(`${entries[0]}:\\d+:1`));
    expect(text.stdout).toMatch(/^[0-9a-f]{8} +openai +broken: The recording .*cannot be read/m);
    expect(rows.map((row) => "broken" in row)).toEqual([false, true]);
    expect(rows[1]).toMatchObject({ entry: entries[0], position: { line: expect.any(Number), column: 1 } });
  });

  const MANY = casesOf({ quick: 500, long: 10_000 });
  it(`lists ${MANY} recordings`, async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    const [entry = ""] = entries;
    const text = readFileSync(join(dir, entry), "utf8");
    const hex = entry.split("/").at(-1)?.slice(0, 64) ?? "";
    for (let take = 2; take <= MANY; take += 1) {
      writeFileSync(join(dir, dirname(entry), `${hex}.${take}.json`), text);
    }

    const { code, stdout } = await tapedeck(["list", "--json"], { cwd });

    const takes = (JSON.parse(stdout) as { take: number }[]).map(({ take }) => take);
    expect(code).toBe(0);
    expect(takes).toEqual(Array.from({ length: MANY }, (_, index) => index + 1));
  });
});

describe("show", () => {
  it("reads as a conversation, whichever way the recording is named", async () => {
    const { cwd, dir, entries } = await aRecordedProject(CALLS);
    const [entry = ""] = entries;
    const hex = entry.split("/").at(-1)?.slice(0, 64) ?? "";
    const names = [
      entry,
      `.tapedeck/${entry}`,
      `./.tapedeck/${entry}`,
      join(dir, entry),
      hex,
      hex.slice(0, 4),
      `sha256:${hex}`,
      `${hex.slice(0, 8)}.1`,
    ];

    const shown = await Promise.all(names.map((name) => tapedeck(["show", name], { cwd })));

    expect(shown.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect(new Set(shown.map(({ stdout }) => stdout)).size).toBe(1);
    const lines = shown[0]?.stdout.split("\n") ?? [];
    expect(lines[0]).toMatch(/^openai · chat\.completions · gpt-4o-mini +recorded just now · take 1 of 1$/);
    expect(lines[1]).toBe("made by  tests/chat.test.ts:12  chat › answers in one word");
    expect(lines[2]).toBe(`file     .tapedeck/${entry}  key ${hex.slice(0, 8)}…`);
    expect(lines.slice(4, 8)).toEqual([
      expect.stringMatching(/^── user ─+$/),
      "Say hi",
      expect.stringMatching(/^── assistant ─+ stop · 9 in, 3 out · about \$0\.000003\d$/),
      "Answer 1 to Say hi",
    ]);
  });

  it("prints the cost of a call: by list prices, by configured prices, or as unknown", async () => {
    const { cwd, entries } = await aRecordedProject([
      ...CALLS,
      { text: "Say it in your own words", model: "our-own-model" },
    ]);
    const own = { "gpt-4o-mini": { input: 1, output: 2 }, "our-own-model": { input: 0, output: 0 } };
    writeFileSync(join(cwd, "prices.json"), JSON.stringify(own));
    const costs = async (...argv: readonly string[]) => {
      const { stdout } = await tapedeck(["list", "--json", ...argv], { cwd });
      const rows = JSON.parse(stdout) as readonly { entry: string; costUsd?: unknown; costReason?: string }[];
      for (const { costUsd, costReason } of rows)
        expect(costReason).toBe(costUsd === null ? "no price is known for this model" : undefined);
      return entries.map((entry) => rows.find((row) => row.entry === entry)?.costUsd);
    };

    const listed = [await costs(), await costs("--prices", "prices.json")];
    const unknown = await tapedeck(["show", entries[2] ?? ""], { cwd });
    const priced = await tapedeck(["show", entries[0] ?? "", "--prices", "prices.json"], { cwd });
    const none = await tapedeck(["show", entries[0] ?? "", "--prices", "none.json"], { cwd });

    expect(listed).toEqual([
      [expect.closeTo(3.15e-6, 12), expect.closeTo(72e-6, 12), null],
      [expect.closeTo(15e-6, 12), expect.closeTo(72e-6, 12), 0],
    ]);
    expect(unknown.stdout).toContain("9 in, 3 out · cost unknown");
    expect(priced.stdout).toContain("9 in, 3 out · about $0.000015");
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("The prices none.json cannot be read"),
    ]);
  });

  it("gives programs the recording, decoded, with its conversation and projection", async () => {
    const { cwd, entries } = await aRecordedProject(CALLS);

    const json = await tapedeck(["show", entries[0] ?? "", "--json"], { cwd });
    const stream = await tapedeck(["show", entries[1] ?? "", "--json"], { cwd });

    expect(JSON.parse(json.stdout)).toMatchObject({
      entry: entries[0],
      take: { k: 1, of: 1 },
      provider: "openai",
      request: {
        method: "POST",
        path: "/v1/chat/completions",
        json: { messages: [{ role: "user", content: "Say hi" }] },
      },
      reply: { status: 200, contentType: "application/json", json: { id: "chatcmpl-1" } },
      conversation: { messages: [{ role: "user", parts: [{ type: "text", text: "Say hi" }] }] },
      projection: {
        messages: [{ role: "assistant", parts: [{ type: "text", text: "Answer 1 to Say hi" }] }],
      },
    });
    expect(JSON.parse(stream.stdout)).toMatchObject({
      reply: { text: expect.stringContaining("event: message_stop\ndata: ") },
      projection: { events: 6 },
    });
  });

  it.each(["ffff0000", "calls/openai/00/none.json"])("fails on %s, which is not there", async (name) => {
    const { cwd } = await aRecordedProject([{ text: "Say hi" }]);

    const { code, stdout, stderr } = await tapedeck(["show", name], { cwd });

    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`There is no recording "${name}"`);
  });

  it("fails when several recordings fit, and names them", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    const [entry = ""] = entries;
    const twin = entry.replace("/openai/", "/groq/");
    mkdirSync(dirname(join(dir, twin)), { recursive: true });
    cpSync(join(dir, entry), join(dir, twin));

    const { code, stderr } = await tapedeck(["show", digitsOf(entry)], { cwd });

    expect(code).toBe(1);
    expect(stderr).toMatch(/matches several recordings: [0-9a-f]{8} \(groq\), [0-9a-f]{8} \(openai\)/);
  });
});
