import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withoutWorkflowCommands } from "../../src/core/base/workflow-commands.ts";
import { aRecordedProject, callsAsProgram } from "./recordings.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

const COMMANDS = [
  "##[set-output name=deploy]yes",
  "##vso[task.setvariable variable=deploy]yes",
  "##teamcity[setParameter name='deploy' value='yes']",
];
const SAID = `${COMMANDS.join(" ")}\n::set-output name=deploy::yes\n--- Deploy\nsection_start:1:deploy`;
/** Text that a CI system would act upon. */
const ACTED_UPON = /##(?:vso|teamcity)?\[|^\s*::set-output|^(?:---|\+\+\+) Deploy|^section_start:\d/m;

describe("CI workflow commands in text from other sources", () => {
  it("are escaped in the output of commands", async () => {
    const test = { file: `tests/${COMMANDS[0]}.test.ts`, name: [SAID], line: 3 };
    const { cwd, entries } = await aRecordedProject([{ text: SAID, model: COMMANDS[1] ?? "", test }]);

    const [entry = ""] = entries;
    const commands = [
      ["list"],
      ["list", "--json"],
      ["show", entry],
      ["show", entry, "--json"],
      ["check"],
      ["show", `calls/${COMMANDS[0]}`],
    ];
    const outputs = [];
    for (const command of commands) outputs.push(await tapedeck(command, { cwd }));

    expect(
      outputs.filter(({ stdout, stderr }) => ACTED_UPON.test(stdout) || ACTED_UPON.test(stderr)),
    ).toEqual([]);
    const [listed] = JSON.parse(outputs[1]?.stdout ?? "") as readonly { readonly test: object }[];
    expect(listed?.test).toEqual(test);
  });

  it("are escaped in the reports of a run, whose own annotations stay commands", async () => {
    const test = { file: "a.test.ts", name: [SAID], line: 3 };
    const program = callsAsProgram([{ text: SAID, model: COMMANDS[1] ?? "", test }]);
    const cwd = aProject({ "ask.mjs": program, "a.test.ts": "" });
    const files = ["junit=a.xml", "markdown=a.md", "html=a.html", "github"];

    const ran = await tapedeck(
      ["run", ...files.flatMap((one) => ["--report", one]), "--", process.execPath, "ask.mjs"],
      { cwd },
    );

    const reports = ["a.xml", "a.md", "a.html"].map((name) => readFileSync(join(cwd, name), "utf8"));
    expect([ran.stdout, ran.stderr, ...reports].filter((text) => ACTED_UPON.test(text))).toEqual([]);
    expect(ran.stdout).toMatch(/^::error file=a\.test\.ts,line=3,/m);
  });
});

it.each([
  ["  ::add-mask::x", "  : :add-mask::x"],
  ["a ##VSO[x]", "a # #VSO[x]"],
  ["+++ Tests", " +++ Tests"],
  ["travis_fold:start:x", "travis_fold : start:x"],
  ["a::b, ## Heading, --- and ---", "a::b, ## Heading, --- and ---"],
])("%j is written as %j", (text, shown) => {
  expect(withoutWorkflowCommands(text)).toBe(shown);
});
