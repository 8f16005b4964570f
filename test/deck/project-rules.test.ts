import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aProject, chatOf } from "./a-project.ts";

const YESTERDAY = chatOf(["Today is 2026-01-02. What day is it?"]);
const TODAY = chatOf(["Today is 2026-01-03. What day is it?"]);
const DATES = { normalize: [{ replace: "$isoDate" }] };

describe("rules of a project", () => {
  it("answer a call from a recording that differs only in the named places", async () => {
    const project = aProject();
    const entry = await project.record(YESTERDAY, "Friday");
    const before = await project.ask(TODAY);

    await project.say(DATES);
    const after = await project.ask(TODAY);

    expect([before.outcome, after.outcome]).toEqual(["miss", "replayed"]);
    expect(after.entry).not.toBe(entry);
    expect(after.text).toContain("Friday");
  });

  it("count while the program runs, and no longer when they are gone", async () => {
    const project = aProject();
    await project.record(YESTERDAY, "Friday");

    const outcomes: string[] = [];
    for (const config of [DATES, {}, { normalize: [{ ignore: "/messages/*/content" }] }, {}]) {
      await project.say(config);
      outcomes.push((await project.ask(TODAY)).outcome, (await project.ask(YESTERDAY)).outcome);
    }

    expect(outcomes.join(" ")).toBe("replayed replayed miss replayed replayed replayed miss replayed");
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
      await project.say({ normalize: [{ replace: "$isoDate", ...scope }] });
      outcomes.push((await project.ask(TODAY)).outcome);
    }

    expect(outcomes).toEqual(["miss", "miss", "replayed"]);
  });

  it("never answer from a recording whose request was edited, nor from a deleted one", async () => {
    const project = aProject();
    await project.record(YESTERDAY, "Friday");
    await project.say(DATES);

    const path = join(project.dir, (await project.ask(TODAY)).entry ?? "");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace("What day", "Which year"));
    const edited = await project.ask(TODAY);
    renameSync(path, join(project.root, "gone.json"));
    const gone = await project.ask(TODAY);

    expect([edited.outcome, gone.outcome]).toEqual(["miss", "miss"]);
    expect(edited.reason).toContain("it was edited");
  });
});

describe("a broken tapedeck.jsonc", () => {
  it("is reported with its first bad position; strict mode continues without it, and nothing is recorded", async () => {
    const project = aProject();
    await project.record(YESTERDAY, "Friday");
    await project.say(DATES);

    await project.write('{\n  // dates\n  "normalize": [{ "replace": "(" , "with": "" }]\n}');
    const missed = await project.ask(TODAY);
    const refused = await project.ask(TODAY, { mode: "record" });

    expect([missed.outcome, refused.outcome]).toEqual(["miss", "refused"]);
    expect(refused.reason).toContain("tapedeck.jsonc:3:30");
    expect(project.notices.at(-1)).toMatchObject({ level: "warning" });
    expect(project.notices.at(-1)?.message).toMatch(
      /^tapedeck\.jsonc:3:30: "normalize\[0\]\.replace" cannot be used: .*\(.* ignores this file/,
    );
  });
});

describe("other settings of a project", () => {
  it("repeats: the same answer for every repeat, unless the caller overrides it", async () => {
    const project = aProject();
    const caller = aProject({ repeats: "takes" });

    await project.say({ repeats: "same" });
    await caller.say({ repeats: "same" });

    expect([project.deck.project.repeats, caller.deck.project.repeats]).toEqual(["same", "takes"]);
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
