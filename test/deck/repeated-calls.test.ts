import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Mode, Run, TestRef } from "../../src/core/call/call.ts";
import { beginStretch, createRun } from "../../src/core/answer/runs.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, chatOf, type Project } from "./a-project.ts";

const HI = chatOf(["Say hi"], { temperature: 0.2 });
const BODY = JSON.stringify(HI);

/** A run's next call, which sends these very bytes; gives the text of its reply, or the code of its failure. */
async function call({ deck }: Project, run: Run, body = BODY): Promise<string> {
  const url = `${deck.providers.get("openai")?.upstream}/v1/chat/completions`;
  const headers = { "content-type": "application/json" };
  const reply = await deck.fetch(run)(url, { method: "POST", headers, body });
  const { text, choices, error } = (await reply.json()) as Replied;
  return text ?? choices?.[0]?.message.content ?? error?.code ?? "";
}

interface Replied {
  readonly text?: string;
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
  readonly error?: { readonly code: string };
}

async function calls(project: Project, run: Run, count: number, body = BODY): Promise<string[]> {
  const texts: string[] = [];
  for (let nth = 0; nth < count; nth += 1) texts.push(await call(project, run, body));
  return texts;
}

const aRun = (test?: TestRef): Run => createRun({ id: "run", mode: "strict", ...(test && { test }) });

/** A project whose call has these takes, and came in another run before. */
async function aRepeatedCall(...takes: readonly string[]) {
  const project = aProject();
  const entries: string[] = [];
  for (const text of takes) entries.push(await project.record(HI, text));
  await calls(project, aRun(), takes.length + 1);
  return { project, entries, path: join(project.dir, entries[0] ?? "") };
}

describe("a repeated call gets", () => {
  it("the first take again when a new stretch begins between two equal calls", async () => {
    const { project } = await aRepeatedCall("one", "two", "three");
    const run = aRun();

    const before = await calls(project, run, 2);
    beginStretch(run);
    const after = await calls(project, run, 3);

    expect([before, after]).toEqual([
      ["one", "two"],
      ["one", "two", "three"],
    ]);
  });

  it("takes by execution of its test if it has one, beside those of calls without a test", async () => {
    const { project } = await aRepeatedCall("one", "two", "three");
    const test = { file: "a.test.ts", name: ["a"] };
    const [none, first, second] = [
      aRun(),
      aRun({ ...test, execution: "1" }),
      aRun({ ...test, execution: "2" }),
    ];

    const texts: string[] = [];
    for (const run of [none, first, none, first, second, none]) texts.push(await call(project, run));

    expect(texts).toEqual(["one", "one", "two", "two", "one", "three"]);
  });

  it("a new take in the run that recorded the first one, however often others replayed that", async () => {
    const { origin } = await anUpstream();
    const project = aProject({ upstreams: { openai: origin } });
    const recording = createRun({ id: "record", mode: "record" });
    await calls(project, recording, 1);
    await calls(project, aRun(), 2);

    expect(await calls(project, recording, 1)).toEqual(["Answer 2 to Say hi"]);
  });

  it("takes or always the first, as the project is configured then", async () => {
    const { project } = await aRepeatedCall("one", "two", "three");
    const run = aRun();

    const texts = await calls(project, run, 1);
    await project.say({ repeats: "same" });
    texts.push(...(await calls(project, run, 2)));
    await project.say({});
    texts.push(...(await calls(project, run, 1)));

    expect(texts).toEqual(["one", "one", "one", "three"]);
  });

  it("the recordings of the same trial of the test, in any order, and none of another trial's", async () => {
    const { origin } = await anUpstream();
    const project = aProject({ upstreams: { openai: origin }, repeats: "trials" });
    const trial = (number: number, mode: Mode): Run =>
      createRun({ id: "run", mode, test: { file: "a.test.ts", name: ["asks"], trial: number } });
    const recorded = [await call(project, trial(1, "record")), await call(project, trial(2, "record"))];

    const replayed = [await call(project, trial(2, "strict")), await call(project, trial(1, "strict"))];

    expect(replayed).toEqual(recorded.toReversed());
    expect(new Set(recorded).size).toBe(2);
    expect(await call(project, trial(3, "strict"))).toBe("tapedeck_miss");
  });
});

describe("a repeated call sees at once", () => {
  it("that its recording was removed, and that it is back", async () => {
    const { project, entries } = await aRepeatedCall("one");
    const run = aRun();

    const removed = await project.deck.store.remove(entries[0] ?? "");
    const without = await call(project, run);
    await removed.restore();

    expect([without, await call(project, run)]).toEqual(["tapedeck_miss", "one"]);
  });

  it("each take that this program records", async () => {
    const { origin } = await anUpstream();
    const project = aProject({ upstreams: { openai: origin } });
    const recording = createRun({ id: "record", mode: "record" });
    const texts: string[][] = [];

    for (let take = 1; take <= 3; take += 1) {
      texts.push(await calls(project, recording, 1));
      texts.push(await calls(project, aRun(), 3));
    }

    const [one, two, three] = [1, 2, 3].map((nth) => `Answer ${nth} to Say hi`);
    expect(texts).toEqual([[one], [one, one, one], [two], [one, two, two], [three], [one, two, three]]);
  });
});
