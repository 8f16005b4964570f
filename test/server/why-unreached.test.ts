import { expect, it } from "vitest";
import { NOTHING_SEEN, detectTestRunner } from "../../src/server/run-observer.ts";
import { listKeysNotIn, explainUnreached } from "../../src/server/why-unreached.ts";

type Facts = Partial<Parameters<typeof explainUnreached>[0]>;

const SEEN = { ...NOTHING_SEEN, processes: 1, runners: ["vitest"], ranTests: true };
const why = (facts: Facts) =>
  explainUnreached({ observed: SEEN, tellsStart: true, keysMissing: [], ...facts });

const OPENAI = ["OPENAI_API_KEY"];
const WITHOUT_KEY = "Error: The OPENAI_API_KEY environment variable is missing or empty";
const PASSED = {
  host: "api.openai.com:443",
  pid: 7,
  command: "node x.js",
  reason: "it speaks HTTP/2",
  times: 2,
};
const UNBEGUN = { ...SEEN, ranTests: false };

const STORIES: Readonly<Record<string, Facts>> = {
  "a call that bypassed Tapedeck, before a library": {
    observed: { ...SEEN, passed: [PASSED], mockedBy: ["nock"] },
  },
  "a library, before a key": { observed: { ...SEEN, mockedBy: ["respx"] }, keysMissing: OPENAI },
  "an address of the client's own": { observed: { ...SEEN, elsewhere: ["localhost:1234"] } },
  "an SDK's own error about a key, before all else": {
    output: WITHOUT_KEY,
    observed: { ...SEEN, mockedBy: ["nock"] },
    keysMissing: OPENAI,
  },
  "missing keys": { keysMissing: [...OPENAI, "GROQ_API_KEY"] },
  "no key at all": { keysMissing: "all" },
  "no process that reported its start": { observed: NOTHING_SEEN },
  "no process that reported its start, and a missing key": { observed: NOTHING_SEEN, keysMissing: OPENAI },
  "no process that reported its start, in a run with a proxy": { observed: NOTHING_SEEN, isProxied: true },
  "no process, if none would report": { observed: NOTHING_SEEN, tellsStart: false },
  "nothing that was seen": {},
  "only npx, which started a program of another kind": { observed: { ...NOTHING_SEEN, processes: 1 } },
  "a text that merely names a key": {
    output: "const apiKey = process.env.OPENAI_API_KEY;\nexpected 1 to be 2",
  },
  "no test, without the output": { observed: UNBEGUN },
  "no test of a terminal, which may belong to another window": {
    observed: NOTHING_SEEN,
    runner: "pytest",
    tellsStart: false,
  },
};

it("why no call reached Tapedeck is reported as the page has it", async () => {
  const page = Object.entries(STORIES).map(
    ([title, facts]) => `# ${title}\n${JSON.stringify(why(facts), null, 1)}\n`,
  );

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("\n")).toMatchFileSnapshot("why-unreached.txt");
});

it.each([
  "No test files found, exiting with code 1",
  "No tests found, exiting with code 1",
  "ERROR: file or directory not found: test_gone.py",
  "collected 0 items / 1 error: ModuleNotFoundError: No module named 'gone'",
  "Error: Cannot find module './gone.js'",
  "Could not find 'gone.test.mjs'",
  "● Test suite failed to run",
  "no tests ran in 0.01s",
])(
  "a run in which no test began is reported before any mock or key, with the runner's own line: %s",
  (line) => {
    const output = ` RUN v4\n\u001b[31m${line}\u001b[39m\n`;

    expect(why({ observed: { ...UNBEGUN, mockedBy: ["nock"] }, output, keysMissing: "all" })).toEqual({
      cause: "no-test",
      reason: `No test ran: vitest ended before its first test. It printed: ${line}`,
      fix: "",
    });
  },
);

it.each([
  "===== 1 skipped in 0.07s =====",
  " \u001b[2m      Tests \u001b[22m \u001b[33m4 skipped\u001b[39m (4)",
  "Tests:       2 skipped, 2 total",
  "  0 passing (1ms)\n  1 pending",
  "ℹ pass 0\nℹ fail 0\nℹ skipped 1",
])("a run that skipped its tests after they began is reported as such: %j", (output) => {
  expect(why({ output })).toEqual({
    cause: "skipped",
    reason: "No test ran: vitest skipped all of them.",
    fix: "",
  });
  expect(why({ output: `${output}\n1 passed` }).cause).toBe("unknown");
});

it.each([
  ["node node_modules/vitest/vitest.mjs", "vitest"],
  ["npx jest -t adds", "jest"],
  ["python3.12 -m pytest", "pytest"],
  [".venv/bin/pytest -q", "pytest"],
  ["node --test a.test.mjs", "node --test"],
  ["npm test", undefined],
  ["node app.js vitest.config.ts", undefined],
  ["go test ./...", undefined],
])("the test runner in %s is %s", (commandLine, runner) => {
  expect(detectTestRunner(commandLine)).toBe(runner);
});

it.each([
  "OpenAIError: Missing credentials. Please pass an `apiKey`, or set the `OPENAI_API_KEY` environment variable.",
  "Error: The OPENAI_API_KEY environment variable is missing or empty; either provide it, or instantiate the client",
  "E openai.OpenAIError: The api_key client option must be set either by passing api_key to the client or by setting the OPENAI_API_KEY environment variable",
  "Error: Could not resolve authentication method. Expected one of apiKey, authToken to be set.",
  "GroqError: The GROQ_API_KEY environment variable is missing or empty",
  "ValueError: Missing key inputs argument! To use the Google AI API, provide (`api_key`) arguments.",
])("an SDK without a key is known by its words: %s", (line) => {
  const painted = `RUN\n  \u001b[31m\u001b[1m${line}\u001b[22m\n at x.ts:1`;

  const [, said = ""] =
    /^An SDK has no key and sent nothing: (.*?)…?$/u.exec(why({ output: painted }).reason) ?? [];
  expect(line).toContain(said);
  expect(said).toMatch(/API_KEY|authToken|api_key/u);
});

it("names the first variable of each provider without any", () => {
  expect(listKeysNotIn({ B: "x", C: "" }, [["A", "B"], ["C", "D"], []])).toEqual(["C"]);
});
