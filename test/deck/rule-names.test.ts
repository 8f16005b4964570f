import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, chatOf, type Project } from "./a-project.ts";
import { filesBelow } from "../support/files-below.ts";

const YESTERDAY = chatOf(["Today is 2026-01-02. What day is it?"]);
const TODAY = chatOf(["Today is 2026-01-03. What day is it?"]);
const DATES = JSON.stringify({ normalize: [{ replace: "$isoDate" }] });

const names = ({ dir }: Project): readonly string[] =>
  filesBelow(dir).filter((path) => path.startsWith("calls/"));
const warnings = ({ notices }: Project): readonly string[] =>
  notices.flatMap(({ level, message }) => (level === "warning" ? [message] : []));

it("strict mode renames nothing when the rules changed, and names the command that does once", async () => {
  const project = aProject();
  await project.record(YESTERDAY, "Friday");
  const before = names(project);

  await project.write(DATES);
  const outcomes = [(await project.ask(TODAY)).outcome, (await project.ask(YESTERDAY)).outcome];

  expect(outcomes).toEqual(["miss", "miss"]);
  expect(names(project)).toEqual(before);
  expect(warnings(project)).toEqual([expect.stringContaining("npx tapedeck check --fix")]);
  expect(project.deck.names.areOutdated()).toBe(true);
});

it.each(["record", "refresh"] as const)(
  "%s mode renames recordings by the rules before its first call",
  async (mode) => {
    const { origin } = await anUpstream();
    const project = aProject({ upstreams: { openai: origin } });
    await project.record(YESTERDAY, "Friday");
    const [before] = names(project);
    await project.write(DATES);

    const { outcome } = await project.ask(TODAY, { mode });

    expect(outcome).toBe(mode === "record" ? "replayed" : "recorded");
    expect(names(project)).toHaveLength(1);
    expect(names(project)[0]).not.toBe(before);
    expect([project.deck.names.areOutdated(), warnings(project)]).toEqual([false, []]);
    expect((await project.ask(TODAY)).outcome).toBe("replayed");
  },
);

it("a recording made under rules gets its own name back when they are removed, with all of its takes", async () => {
  const { origin } = await anUpstream();
  const project = aProject({ upstreams: { openai: origin } });
  const own = [await project.record(YESTERDAY, "one"), await project.record(YESTERDAY, "two")];
  await project.say(JSON.parse(DATES));
  const ruled = names(project);

  await project.say({});

  expect(names(project)).toEqual([...own].sort());
  expect(ruled).toHaveLength(2);
  expect(ruled).not.toEqual([...own].sort());
  expect(project.deck.names.areOutdated()).toBe(false);
});

it("two requests that the rules would merge keep their names, and are reported", async () => {
  const project = aProject();
  await project.record(YESTERDAY, "Friday");
  await project.record(TODAY, "Saturday");
  const before = names(project);

  await project.say(JSON.parse(DATES));

  expect(names(project)).toEqual(before);
  expect(warnings(project)).toEqual([expect.stringMatching(/2 recordings kept .*as the same call/)]);
});

it("the fingerprint of the rules is a file of the folder, and a broken one counts as other rules", async () => {
  const project = aProject();
  await project.record(YESTERDAY, "Friday");
  await project.say(JSON.parse(DATES));
  const path = join(project.dir, "rules.json");
  const written = readFileSync(path, "utf8");

  writeFileSync(path, "{");
  const isOutdated = project.deck.names.areOutdated();
  await project.deck.names.rename();

  expect(JSON.parse(written)).toEqual({ rules: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  expect([isOutdated, readFileSync(path, "utf8")]).toEqual([true, written]);
});

it("a project without rules has no such file", async () => {
  const { origin } = await anUpstream();
  const project = aProject({ upstreams: { openai: origin } });

  await project.ask(YESTERDAY, { mode: "record" });

  expect(existsSync(join(project.dir, "rules.json"))).toBe(false);
});
