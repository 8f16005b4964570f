import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, chatOf } from "./a-project.ts";

const YESTERDAY = chatOf(["Today is 2026-01-02. What day is it?"]);
const TODAY = chatOf(["Today is 2026-01-03. What day is it?"]);
const DATES = { normalise: [{ replace: "$isoDate" }] };

describe("rules of a project", () => {
  it("answer a call from a recording that differs only in what they name", async () => {
    const project = aProject();
    const entry = await project.record(YESTERDAY, "Friday");
    const before = await project.ask(TODAY);

    await project.say(DATES);
    const after = await project.ask(TODAY);

    expect([before.outcome, after.outcome, after.entry]).toEqual(["miss", "replayed", entry]);
    expect(after.text).toContain("Friday");
  });

  it("count while the program runs, and no longer when they are gone", async () => {
    const project = aProject();
    await project.record(YESTERDAY, "Friday");

    const outcomes: string[] = [];
    for (const config of [DATES, {}, { normalise: [{ ignore: "/messages/*/content" }] }, {}]) {
      await project.say(config);
      outcomes.push((await project.ask(TODAY)).outcome, (await project.ask(YESTERDAY)).outcome);
    }

    expect(outcomes).toEqual([
      "replayed",
      "replayed",
      "miss",
      "replayed",
      "replayed",
      "replayed",
      "miss",
      "replayed",
    ]);
  });

  it("are for the providers and operations that they name", async () => {
    const project = aProject();
    await project.record(YESTERDAY, "Friday");

    const outcomes: string[] = [];
    for (const scope of [
      { provider: "anthropic" },
      { operation: ["embeddings", "responses"] },
      { provider: ["openai", "azure"], operation: "chat.completions" },
    ]) {
      await project.say({ normalise: [{ replace: "$isoDate", ...scope }] });
      outcomes.push((await project.ask(TODAY)).outcome);
    }

    expect(outcomes).toEqual(["miss", "miss", "replayed"]);
  });

  it("name a new recording alike, which is found again after they are gone", async () => {
    const upstream = await anUpstream();
    const project = aProject({ upstreams: { openai: upstream.origin } });
    await project.say(DATES);
    const recorded = await project.ask(YESTERDAY, { mode: "record" });
    const replayed = await project.ask(TODAY, { mode: "record" });

    await project.say({});
    const later = [await project.ask(YESTERDAY), await project.ask(TODAY)];

    expect([recorded.outcome, replayed.outcome]).toEqual(["recorded", "replayed"]);
    expect(recorded.key).toBe(replayed.key);
    expect(later.map(({ outcome, entry }) => [outcome, entry])).toEqual([
      ["replayed", recorded.entry],
      ["miss", null],
    ]);
  });

  it("leave no recording to a call that only the rules' own words make equal", async () => {
    const upstream = await anUpstream();
    const project = aProject({ upstreams: { openai: upstream.origin } });
    await project.say(DATES);
    await project.ask(YESTERDAY, { mode: "record" });
    await project.say({});

    const literal = await project.ask(chatOf(["Today is <date>. What day is it?"]));
    renameSync(join(project.dir, "named-by-rules.txt"), join(project.root, "elsewhere"));
    const unmarked = aProject({ dir: project.dir });
    const again = await unmarked.ask(chatOf(["Today is <date>. What day is it?"]));

    expect([literal.outcome, again.outcome]).toEqual(["miss", "miss"]);
  });

  it("give recordings that they make one call its takes, the oldest first", async () => {
    const project = aProject();
    await project.record(TODAY, "second", "2026-01-03T00:00:00.000Z");
    await project.record(YESTERDAY, "first", "2026-01-02T00:00:00.000Z");
    await project.say(DATES);
    const run = project.deck.createRun("strict");

    const texts: string[] = [];
    for (let call = 0; call < 3; call += 1) {
      const reply = await project.deck.fetch(run)("https://api.openai.com/v1/chat/completions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(TODAY),
      });
      texts.push(((await reply.json()) as { text: string }).text);
    }

    expect(texts).toEqual(["first", "second", "second"]);
  });

  it("never answer from a recording whose request was edited, nor from one that went", async () => {
    const project = aProject();
    const entry = await project.record(YESTERDAY, "Friday");
    await project.say(DATES);
    await project.ask(TODAY);

    const path = join(project.dir, entry);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace("What day", "Which year"));
    const edited = await project.ask(TODAY);
    renameSync(path, join(project.root, "gone.json"));
    const gone = await project.ask(TODAY);

    expect([edited.outcome, gone.outcome]).toEqual(["miss", "miss"]);
    expect(edited.reason).toContain("it was edited");
  });

  it("refresh a recording in the place where it is", async () => {
    const upstream = await anUpstream();
    const project = aProject({ upstreams: { openai: upstream.origin } });
    const entry = await project.record(YESTERDAY, "Friday");
    await project.say(DATES);

    const refreshed = await project.ask(TODAY, { mode: "refresh" });
    const replayed = await project.ask(TODAY);

    expect([refreshed.outcome, refreshed.entry, replayed.entry]).toEqual(["recorded", entry, entry]);
    expect(replayed.text).toBe(refreshed.text);
    expect(
      readdirSync(project.dir, { recursive: true, encoding: "utf8" }).filter((name) =>
        /^calls.*json$/.test(name),
      ),
    ).toEqual([entry]);
  });
});

describe("a broken tapedeck.jsonc", () => {
  it("is said with its first bad position, and everything goes on strictly without it", async () => {
    const project = aProject();
    await project.record(YESTERDAY, "Friday");
    await project.say(DATES);

    await project.write('{\n  // dates\n  "normalise": [{ "replace": "(" , "with": "" }]\n}');
    const outcomes = [(await project.ask(TODAY)).outcome, (await project.ask(YESTERDAY)).outcome];

    expect(outcomes).toEqual(["miss", "replayed"]);
    expect(project.notices.at(-1)).toMatchObject({ level: "warning" });
    expect(project.notices.at(-1)?.message).toMatch(
      /^tapedeck\.jsonc:3:30: "normalise\[0\]\.replace" cannot be used: .*\(.* goes on without this file/,
    );
  });
});

describe("what else a project says", () => {
  it("repeats: the same answer for every repeat, unless the caller says otherwise", async () => {
    const project = aProject();
    const caller = aProject({ repeats: "takes" });

    await project.say({ repeats: "same" });
    await caller.say({ repeats: "same" });

    expect([project.deck.project.repeats, caller.deck.project.repeats]).toEqual(["same", "takes"]);
  });

  it("let it be known that a missed call is answered by now, once what was recorded since is read", async () => {
    const { origin } = await anUpstream();
    const project = aProject({ upstreams: { openai: origin } });
    const names = await project.deck.readUnderRules();
    await project.say(DATES);
    const { miss } = await project.ask(YESTERDAY);
    const { entry } = await project.ask(TODAY, { mode: "record" });

    const read = await project.deck.readUnderRules();

    expect([names, read]).toEqual([false, true]);
    expect(miss && project.deck.answerTo(miss)).toMatchObject({ entry });
  });

  it.each([
    [{ mock: "echo" }, "What day is it?"],
    [{ reply: "by the file" }, "by the file"],
    [{ script: ["one", { reply: "by model", model: "gpt-4o-mini", times: "always" }] }, "one"],
  ])("lenient mode answers with %j", async (lenient, text) => {
    const project = aProject();

    await project.say({ lenient });
    const answer = await project.ask(chatOf(["Hi", "Hello", "What day is it?"]), { mode: "lenient" });

    expect(answer.outcome).toBe("defaulted");
    expect(JSON.parse(answer.text)).toMatchObject({ choices: [{ message: { content: text } }] });
  });

  it("lenient mode reads a script's file, and again when that changes", async () => {
    const project = aProject();
    writeFileSync(join(project.root, "replies.jsonl"), '"one"\n');
    await project.say({ lenient: { script: "replies.jsonl" } });
    const run = project.deck.createRun("lenient");
    const first = await project.ask(chatOf(["Hi"]), { run });
    const dry = await project.ask(chatOf(["Hi"]), { run });

    writeFileSync(join(project.root, "replies.jsonl"), '"two"\n"three"\n');
    await project.deck.project.reload();
    const second = await project.ask(chatOf(["Hi"]), { run });

    expect([first.text, second.text].map((text) => /one|two/.exec(text)?.[0])).toEqual(["one", "two"]);
    expect(dry.reason).toContain("all 1 of its replies are used");
  });
});
