import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keepRun, newRunId } from "../../../src/storage/runs/kept-runs.ts";
import { aRun, aRunCall } from "../../support/a-run.ts";
import { anUpstream } from "../an-upstream.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const ASK = `const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: process.argv[2] }] }),
});
await reply.text();
`;

describe("tapedeck report", () => {
  it("writes the page of the last run, as the run itself does", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ "ask.mjs": ASK });
    const run = (...words: string[]) =>
      tapedeck(
        ["run", ...upstream.options, ...words.slice(1), "--", process.execPath, "ask.mjs", words[0] ?? ""],
        {
          cwd,
        },
      );
    await run("an older one", "--mode", "record");
    await run("the last one", "--mode", "record", "--report", "html=run.html");

    const { code, stderr } = await tapedeck(["report", "--html", "--out", "report.html"], { cwd });
    const printed = await tapedeck(["report", "--html"], { cwd });

    const page = readFileSync(join(cwd, "report.html"), "utf8");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^1 call of the run at 2\S+Z\n$/),
    });
    expect(page).toContain("the last one");
    expect(page).not.toContain("an older one");
    const dataOf = (html: string): unknown => JSON.parse(/id="data">(.*)<\/script>/.exec(html)?.[1] ?? "");
    const byRun = readFileSync(join(cwd, "run.html"), "utf8");
    expect(dataOf(page)).toEqual(dataOf(byRun));
    expect(page.replace(/id="data">.*/, "")).toBe(byRun.replace(/id="data">.*/, ""));
    expect(printed.stdout).toBe(page);
  });

  it("writes that of another folder", async () => {
    const cwd = aProject({ "recorded/.gitkeep": "" });
    await keepRun(
      join(cwd, "recorded"),
      aRun([aRunCall("Where is it?")], { id: newRunId(1_000), startedAt: 1_000 }),
    );

    const { code, stdout } = await tapedeck(["report", "--html", "--dir", "recorded"], { cwd });

    expect(code).toBe(0);
    expect(stdout).toContain("Where is it?");
  });

  it.each([
    [["--html", "--out", "report.html"], "No run of .tapedeck is remembered on this machine."],
    [[], "report needs its form: --html."],
  ])("with %j says what is missing, and writes nothing", async (options, words) => {
    const cwd = aProject();

    const { code, stderr } = await tapedeck(["report", ...options], { cwd });

    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(existsSync(join(cwd, "report.html"))).toBe(false);
  });
});
