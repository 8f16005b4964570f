import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderHtmlReport } from "../../src/cli/report/html.ts";
import { completeRun } from "../../src/deck/complete-calls.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { readRun, listRuns } from "../../src/storage/runs/kept-runs.ts";
import { aRun, aRunCall } from "../support/a-run.ts";
import { anUpstream } from "./an-upstream.ts";
import { ask, ASKING } from "./asking.ts";
import { aRecordedProject, say } from "./recordings.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

const ORDER = "Where is my order?";
const aProjectWithOrder = () => aRecordedProject([{ text: ORDER }], ASKING);

describe("a run of the command line", () => {
  it("is not kept in CI, but shown if a report is requested, as a separate page without links to a server", async () => {
    const { cwd } = await aProjectWithOrder();
    const kept = await listRuns(join(cwd, ".tapedeck"));
    const env = { CI: "true" };

    await tapedeck(["run", ...ask(ORDER)], { cwd, env });
    const quiet = await listRuns(join(cwd, ".tapedeck"));
    await tapedeck(["run", "--report", "html=out/run.html", ...ask(ORDER)], { cwd, env });

    expect(kept).toHaveLength(1);
    expect(quiet).toEqual(kept);
    const page = readFileSync(join(cwd, "out", "run.html"), "utf8");
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).toMatch(/▶ 1 Where is my order\?/);
    expect(page).not.toMatch(/<(?:script|link|img|iframe)|src=|@import|https?:/);
  });

  it("shows what its calls took: now, and when they were recorded", async () => {
    const cwd = aProject(ASKING);
    const record = ["run", "--mode", "record", ...(await anUpstream()).options];
    await tapedeck([...record, ...ask(ORDER)], { cwd });
    await tapedeck(["run", ...ask(ORDER, "Where is my parcel?")], { cwd });

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
      label: ORDER,
      tokens: { input: 9, output: 3 },
    });
    expect(made?.firstByteMs).toBeGreaterThan(0);
    expect(made?.firstByteMs).toBeLessThanOrEqual(made?.ms ?? 0);
    expect(replayed?.calls).toMatchObject([
      {
        outcome: "replayed",
        answered: `"Answer 1 to ${ORDER}"`,
        tokens: { input: 9, output: 3 },
        costUsd: expect.any(Number) as number,
        recorded: { ms: made?.ms, firstByteMs: made?.firstByteMs },
      },
      { outcome: "miss", label: "Where is my parcel?" },
    ]);
    expect(replayed?.calls[1]?.note).toBe("messages[0] (user) differs");
  });

  it("is remembered of a server as well, once it has ended, and counted", async () => {
    const { cwd } = await aProjectWithOrder();
    const server = await serving([], { cwd });
    await say(server.ready.url, cwd, { text: ORDER });
    expect(await listRuns(join(cwd, ".tapedeck"))).toHaveLength(1);
    await server.end();

    const [served] = await listRuns(join(cwd, ".tapedeck"));
    expect(served).toMatchObject({ title: "tapedeck serve", mode: "strict", counts: { replayed: 1 } });
    expect(served).not.toHaveProperty("passed");
  });

  it("is remembered without its command when that may hold a credential", async () => {
    const { cwd } = await aProjectWithOrder();
    await tapedeck(["run", ...ask(ORDER, "--api-key", "hunter2hunter2")], { cwd });

    const folder = join(cwd, ".tapedeck", ".local", "runs");
    const last = readdirSync(folder).sort().at(-1) ?? "";
    const [head = ""] = readFileSync(join(folder, last), "utf8").split("\n");
    expect(JSON.parse(head)).not.toHaveProperty("title");
  });

  it("warns once if nothing can be written beside the recordings, also when they are served", async () => {
    const { cwd, dir } = await aProjectWithOrder();
    rmSync(join(dir, ".local"), { recursive: true });
    writeFileSync(join(dir, ".local"), "");

    const run = await tapedeck(["run", ...ask(ORDER, "Other")], { cwd });
    const server = await serving([], { cwd });
    await say(server.ready.url, cwd, { text: ORDER });
    await server.end();

    expect(run.stdout).toMatch(/200\D+404/);
    for (const stderr of [run.stderr, server.stderr()])
      expect(stderr.match(/.*cannot be used.*/g)).toEqual([
        expect.stringMatching(/^warning: This run could not be saved: /),
      ]);
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
