import { describe, expect, it } from "vitest";
import { NOTHING_SEEN, detectTestRunner } from "../../src/server/seen.ts";
import { listKeysNotIn, explainUnreached } from "../../src/server/why-unreached.ts";

const SEEN = { ...NOTHING_SEEN, processes: 1, runners: ["vitest"], ranTests: true };
const why = (facts: Partial<Parameters<typeof explainUnreached>[0]>) =>
  explainUnreached({ seen: SEEN, tellsStart: true, keysMissing: [], ...facts });

describe("why no call reached Tapedeck", () => {
  it("is what was seen: a call that bypassed Tapedeck, a library, an address of the client's own", () => {
    const passed = {
      host: "api.openai.com:443",
      pid: 7,
      command: "node x.js",
      reason: "it speaks HTTP/2",
      times: 2,
    };

    expect(why({ seen: { ...SEEN, passed: [passed], mockedBy: ["nock"] } })).toMatchObject({
      cause: "passed",
      why: "A call to api.openai.com:443 (2 times) bypassed Tapedeck in process 7 (node x.js): it speaks HTTP/2",
    });
    expect(why({ seen: { ...SEEN, mockedBy: ["respx"] }, keysMissing: ["OPENAI_API_KEY"] }).cause).toBe(
      "mocked",
    );
    expect(why({ seen: { ...SEEN, elsewhere: ["localhost:1234"] } })).toEqual({
      cause: "elsewhere",
      why: "The client uses its own address: calls were sent to localhost:1234.",
      mend: "Read the provider's base-URL variable or TAPEDECK_URL instead of that address.",
    });
  });

  it("is a missing key; an SDK's own error about it takes precedence over other causes", () => {
    const said = "Error: The OPENAI_API_KEY environment variable is missing or empty";

    expect(
      why({ output: said, seen: { ...SEEN, mockedBy: ["nock"] }, keysMissing: ["OPENAI_API_KEY"] }),
    ).toEqual({
      cause: "key",
      why: `An SDK has no key and sent nothing: ${said}`,
      mend: 'Set OPENAI_API_KEY to your own key in the environment of the tests, or run "Tapedeck: Set Provider Key…" in VS Code.',
      variable: "OPENAI_API_KEY",
    });
    expect(why({ keysMissing: ["OPENAI_API_KEY", "GROQ_API_KEY"] }).why).toBe(
      "Not set: OPENAI_API_KEY, GROQ_API_KEY. An SDK without a key sends nothing.",
    );
    expect(why({ keysMissing: "all" })).toEqual({
      cause: "key",
      why: "Not set: the key of a provider (OPENAI_API_KEY, ANTHROPIC_API_KEY, or the like). An SDK without a key sends nothing.",
      mend: 'Set the provider\'s key variable to your own key in the environment of the tests, or run "Tapedeck: Set Provider Key…" in VS Code.',
    });
  });

  it("is another process when none reported its start; if that is unknown, nothing is claimed", () => {
    expect(why({ seen: NOTHING_SEEN }).cause).toBe("process");
    expect(why({ seen: NOTHING_SEEN, keysMissing: ["OPENAI_API_KEY"] })).toMatchObject({
      cause: "process",
      why: "No Node or Python process that could make a call reported its start. Also not set: OPENAI_API_KEY.",
    });
    expect(why({ seen: NOTHING_SEEN, tellsStart: false }).cause).toBe("unknown");
    expect(why({}).cause).toBe("unknown");
  });
});

describe("a run in which no test began", () => {
  const seen = { ...SEEN, ranTests: false };

  it.each([
    "No test files found, exiting with code 1",
    "No tests found, exiting with code 1",
    "ERROR: file or directory not found: test_gone.py",
    "collected 0 items / 1 error: ModuleNotFoundError: No module named 'gone'",
    "Error: Cannot find module './gone.js'",
    "Could not find 'gone.test.mjs'",
    "● Test suite failed to run",
    "no tests ran in 0.01s",
  ])("is reported before any mock or key, with the runner's own line: %s", (line) => {
    const output = ` RUN v4\n\u001b[31m${line}\u001b[39m\n`;

    expect(why({ seen: { ...seen, mockedBy: ["nock"] }, output, keysMissing: "all" })).toEqual({
      cause: "no-test",
      why: `No test ran: vitest ended before its first test. It printed: ${line}`,
      mend: "",
    });
  });

  it("is reported without the output, with likely causes", () => {
    expect(why({ seen })).toMatchObject({
      cause: "no-test",
      mend: "Read its output: its file may be missing or fail to load, or its filter may match no test.",
    });
  });

  it("of a terminal may belong to another window, whose server got the report", () => {
    expect(why({ seen: NOTHING_SEEN, runner: "pytest", tellsStart: false })).toEqual({
      cause: "no-test",
      why: "No test of pytest reported to Tapedeck: none ran, or its terminal belongs to another window.",
      mend: "Read its output. If its tests ran, run them again in a new terminal of this window.",
    });
  });
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

describe("an SDK without a key", () => {
  it.each([
    "OpenAIError: Missing credentials. Please pass an `apiKey`, or set the `OPENAI_API_KEY` environment variable.",
    "Error: The OPENAI_API_KEY environment variable is missing or empty; either provide it, or instantiate the client",
    "E openai.OpenAIError: The api_key client option must be set either by passing api_key to the client or by setting the OPENAI_API_KEY environment variable",
    "Error: Could not resolve authentication method. Expected one of apiKey, authToken to be set.",
    "GroqError: The GROQ_API_KEY environment variable is missing or empty",
    "ValueError: Missing key inputs argument! To use the Google AI API, provide (`api_key`) arguments.",
  ])("is known by its words: %s", (line) => {
    const painted = `RUN\n  \u001b[31m\u001b[1m${line}\u001b[22m\n at x.ts:1`;

    const [, said = ""] =
      /^An SDK has no key and sent nothing: (.*?)…?$/u.exec(why({ output: painted }).why) ?? [];
    expect(line).toContain(said);
    expect(said).toMatch(/API_KEY|authToken|api_key/u);
  });

  it("is not mistaken for text that merely names a key", () => {
    const output = "const apiKey = process.env.OPENAI_API_KEY;\nexpected 1 to be 2";
    expect(why({ output }).cause).toBe("unknown");
  });

  it("names the first variable of each provider without any", () => {
    expect(listKeysNotIn({ B: "x", C: "" }, [["A", "B"], ["C", "D"], []])).toEqual(["C"]);
  });
});
