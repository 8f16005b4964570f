import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createRun } from "../../src/core/runs.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { anUpstream } from "../cli/an-upstream.ts";
import type { Mode } from "../../src/core/call.ts";
import { aProject, chatOf, type Project } from "./a-project.ts";

const HI = chatOf(["Say hi"], { temperature: 0.2 });
const HI_WARMER = chatOf(["Say hi"], { temperature: 0.7 });
const WITHOUT_TEMPERATURE = { normalise: [{ ignore: "/temperature" }] };

/** What the calls of one run are answered with, in order. */
async function told(project: Project, bodies: readonly unknown[], mode: Mode = "strict"): Promise<string[]> {
  const { deck } = project;
  const fetch = deck.fetch(createRun({ id: mode, mode }));
  const texts: string[] = [];
  for (const body of bodies) {
    const reply = await fetch(`${deck.providers.get("openai")?.upstream}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    texts.push(await reply.text());
  }
  return texts;
}

const texts = (...all: readonly string[]): string[] => all.map((text) => JSON.stringify({ text }));

describe("takes under a rule", () => {
  it("that were recorded in the same millisecond come in their order, however many they are", async () => {
    const project = aProject();
    const all = Array.from({ length: 12 }, (_, index) => `take ${index + 1}`);
    for (const text of all) await project.record(HI, text);

    await project.say(WITHOUT_TEMPERATURE);

    expect(
      await told(
        project,
        all.map(() => HI_WARMER),
      ),
    ).toEqual(texts(...all));
  });

  it("come in their order when the clock was set back between them, or the first one was made anew", async () => {
    const project = aProject();
    await project.record(HI, "first", "2026-03-01T00:00:00.000Z");
    await project.record(HI, "second", "2026-02-01T00:00:00.000Z");

    await project.say(WITHOUT_TEMPERATURE);

    expect(await told(project, [HI, HI])).toEqual(texts("first", "second"));
  });

  it("which made two recordings one come by age, each with its own takes in order", async () => {
    const project = aProject();
    await project.record(HI_WARMER, "second", "2026-02-02T00:00:00.000Z");
    await project.record(HI, "first", "2026-02-01T00:00:00.000Z");
    await project.record(HI, "third", "2026-02-03T00:00:00.000Z");

    await project.say(WITHOUT_TEMPERATURE);

    expect(await told(project, [HI, HI, HI])).toEqual(texts("first", "second", "third"));
  });

  it("that two recordings became are made anew one after the other, and stay in their order", async () => {
    const upstream = await anUpstream();
    const project = aProject({ upstreams: { openai: upstream.origin } });
    await project.record(HI, "first", "2026-02-01T00:00:00.000Z");
    await project.record(HI_WARMER, "second", "2026-02-02T00:00:00.000Z");
    await project.say(WITHOUT_TEMPERATURE);

    const refreshed = await told(project, [HI, HI], "refresh");

    expect(refreshed.map((text) => /Answer \d/u.exec(text)?.[0])).toEqual(["Answer 1", "Answer 2"]);
    expect(await told(project, [HI, HI_WARMER])).toEqual(refreshed);
  });

  it("of which the first alone was made anew keep their order, also for another process", async () => {
    const upstream = await anUpstream();
    const upstreams = { openai: upstream.origin };
    const project = aProject({ upstreams });
    await project.record(HI, "first", "2026-02-01T00:00:00.000Z");
    await project.record(HI_WARMER, "second", "2026-02-02T00:00:00.000Z");
    await project.say(WITHOUT_TEMPERATURE);

    for (const _ of ["once", "and again"]) await told(project, [HI_WARMER], "refresh");

    const [first = "", second] = await told(project, [HI, HI]);
    expect(first).toContain("Answer 2");
    expect(second).toBe(texts("second")[0]);
    const later = openDeck({ dir: project.dir });
    expect(await told({ ...project, deck: later }, [HI, HI])).toEqual([first, second]);
    await later.close();
  });

  it("of which one was deleted a moment ago: the next call goes on without it", async () => {
    const upstream = await anUpstream();
    const project = aProject({ upstreams: { openai: upstream.origin } });
    const [first, second] = [await project.record(HI, "first"), await project.record(HI, "second")];
    await project.say(WITHOUT_TEMPERATURE);
    await told(project, [HI]);

    rmSync(join(project.dir, first));
    const after = await told(project, [HI]);
    rmSync(join(project.dir, second));
    const recorded = await project.ask(HI, { mode: "record" });

    expect(after).toEqual(texts("second"));
    expect(recorded.outcome).toBe("recorded");
  });
});

it("a rule that comes while recordings are being read for another one counts for the call that waits, too", async () => {
  const project = aProject();
  for (let index = 0; index < 100; index += 1)
    await project.record(chatOf([`Question ${index}`], { temperature: 0.2 }), `answer ${index}`);
  await project.say(WITHOUT_TEMPERATURE);

  const waiting = project.ask(chatOf(["Question 7"], { temperature: 0.7 }));
  await setImmediate();
  await project.say({ normalise: [{ ignore: "/temperature" }, { ignore: "/seed" }] });
  const { outcome, text } = await waiting;

  expect([outcome, text]).toEqual(["replayed", ...texts("answer 7")]);
});
