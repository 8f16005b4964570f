import { expect, onTestFinished, test } from "vitest";
import type { CallEvent, TestRef } from "../../src/core/call/call.ts";
import { openDeck } from "../../src/deck/deck.ts";
import { hooksFor } from "../fixtures/runners/hooked.ts";
import { aProject, run } from "../fixtures/runners/project.ts";

/** An unknown runner: no globals, no packages, tests as functions of a file. */
const RUNNER = `for (const [name, body] of Object.entries(require(process.argv[2]))) body().then(() => console.log(name));`;
const TESTS = `exports.wanted = async () => {
  await fetch(process.env.TAPEDECK_URL + "/openai/v1/models");
};
`;

/** Runs a file's tests in a run that was started for `own`, with or without the hooks, and gives the tests of its calls. */
async function testsOf(options: {
  readonly own?: TestRef;
  readonly hooks: boolean;
  readonly files?: Readonly<Record<string, string>>;
}): Promise<readonly (TestRef | undefined)[]> {
  const files = options.files ?? { "runner.cjs": RUNNER, "some.test.cjs": TESTS };
  const project = aProject(files);
  onTestFinished(() => project.remove());
  const deck = openDeck({ dir: project.path(".tapedeck") });
  onTestFinished(() => deck.close());
  const events: CallEvent[] = [];
  deck.engine.onCall((event) => events.push(event));
  const server = await deck.listen({ roots: [project.dir] });
  const { url } = server.admit(deck.createRun("strict", options.own));
  const hooks = hooksFor(project, url);
  const args = "runner.cjs" in files ? ["runner.cjs", "./some.test.cjs"] : ["--test", "a.test.mjs"];

  const { code, output } = await run(
    { command: process.execPath, args, cwd: project.dir },
    options.hooks ? hooks : { TAPEDECK_URL: url },
  );

  if (code !== 0) throw new Error(output);
  return events.map((event) => event.test);
}

/** The execution id when no runner reports one: one for each process. */
const PROCESS = expect.any(String) as string;

const OWN: TestRef = { file: "some.test.cjs", name: ["wanted"], line: 1, runner: "mine" };

test("a run's token alone names the test that it was started for, without any hook", async () => {
  expect(await testsOf({ own: OWN, hooks: false })).toEqual([OWN]);
});

test("with an unknown runner the stack adds the line, and is never an error", async () => {
  expect(await testsOf({ own: OWN, hooks: true })).toEqual([{ ...OWN, line: 2, execution: PROCESS }]);
});

test("with an unknown runner and no run of one test, the stack names file and line", async () => {
  expect(await testsOf({ hooks: true })).toEqual([
    { file: "some.test.cjs", name: [], line: 2, execution: PROCESS },
  ]);
});

test("a place in another file than the run's test does not take the run's test away", async () => {
  const own = { file: "elsewhere.test.cjs", name: ["other"] };

  expect(await testsOf({ own, hooks: true })).toEqual([own]);
});

test("a known runner's report wins over the token: a concurrent namesake is distinguished", async () => {
  const call = 'fetch(process.env.TAPEDECK_URL + "/openai/v1/models")';
  const files = {
    "a.test.mjs": `import { describe, it } from "node:test";
describe("one", () => it("same", () => ${call}));
describe("other", () => it("same", () => ${call}));`,
  };

  const told = await testsOf({ own: { file: "a.test.mjs", name: ["one", "same"] }, hooks: true, files });

  expect(told.map((one) => one?.name)).toEqual([
    ["one", "same"],
    ["other", "same"],
  ]);
});
