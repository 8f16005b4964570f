import { describe, expect, it } from "vitest";
import { NOTHING_SEEN } from "../../src/server/seen.ts";
import { keysNotIn, noKeyLine, whyUnreached } from "../../src/server/why-unreached.ts";

const SEEN = { ...NOTHING_SEEN, processes: 1 };
const why = (facts: Partial<Parameters<typeof whyUnreached>[0]>) =>
  whyUnreached({ seen: SEEN, tellsStart: true, keysMissing: [], ...facts });

describe("why no call reached Tapedeck", () => {
  it("is what was seen: a call that passed by, a library, an address of the client's own", () => {
    const passed = {
      host: "api.openai.com:443",
      pid: 7,
      command: "node x.js",
      reason: "it speaks HTTP/2",
      times: 2,
    };

    expect(why({ seen: { ...SEEN, passed: [passed], mockedBy: ["nock"] } })).toMatchObject({
      cause: "passed",
      why: "A call to api.openai.com:443 (2 times) passed Tapedeck by in process 7 (node x.js): it speaks HTTP/2",
    });
    expect(why({ seen: { ...SEEN, mockedBy: ["respx"] }, keysMissing: ["OPENAI_API_KEY"] }).cause).toBe(
      "mocked",
    );
    expect(why({ seen: { ...SEEN, elsewhere: ["localhost:1234"] } })).toEqual({
      cause: "elsewhere",
      why: "The client has an address of its own: calls went to localhost:1234.",
      mend: "Let it read its provider's base-URL variable, or TAPEDECK_URL, in place of that address.",
    });
  });

  it("is the key that an SDK lacks, in its own words before any guess", () => {
    const said = "Error: The OPENAI_API_KEY environment variable is missing or empty";

    expect(why({ said, seen: { ...SEEN, mockedBy: ["nock"] }, keysMissing: ["OPENAI_API_KEY"] })).toEqual({
      cause: "key",
      why: `An SDK has no key and sent nothing: ${said}`,
      mend: 'Set OPENAI_API_KEY to your own key where the tests run; in VS Code, "Tapedeck: Set Provider Key…".',
      variable: "OPENAI_API_KEY",
    });
    expect(why({ keysMissing: ["OPENAI_API_KEY", "GROQ_API_KEY"] }).why).toBe(
      "OPENAI_API_KEY and GROQ_API_KEY are not set, and an SDK without a key sends nothing.",
    );
    expect(why({ keysMissing: "all" })).toEqual({
      cause: "key",
      why: "A provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY or the like) is not set, and an SDK without a key sends nothing.",
      mend: 'Set the provider\'s key variable to your own key where the tests run; in VS Code, "Tapedeck: Set Provider Key…".',
    });
  });

  it("is another process where none said that it started, and where that cannot be known nothing is claimed", () => {
    expect(why({ seen: NOTHING_SEEN }).cause).toBe("process");
    expect(why({ seen: NOTHING_SEEN, keysMissing: ["OPENAI_API_KEY"] })).toMatchObject({
      cause: "process",
      why: "No process of Node or Python that could make a call said that it started. OPENAI_API_KEY is not set, either.",
    });
    expect(why({ seen: NOTHING_SEEN, tellsStart: false }).cause).toBe("unknown");
    expect(why({}).cause).toBe("unknown");
  });
});

describe("an SDK without a key", () => {
  it.each([
    "OpenAIError: Missing credentials. Please pass an `apiKey`, or set the `OPENAI_API_KEY` environment variable.",
    "Error: The OPENAI_API_KEY environment variable is missing or empty; either provide it, or instantiate the client",
    "E   openai.OpenAIError: The api_key client option must be set either by passing api_key to the client or by setting the OPENAI_API_KEY environment variable",
    "Error: Could not resolve authentication method. Expected one of apiKey, authToken to be set.",
    "GroqError: The GROQ_API_KEY environment variable is missing or empty",
    "ValueError: Missing key inputs argument! To use the Google AI API, provide (`api_key`) arguments.",
  ])("is known by its words: %s", (line) => {
    const painted = `RUN\n  \u001b[31m\u001b[1m${line}\u001b[22m\n at x.ts:1`;

    expect(line).toContain(noKeyLine(painted)?.replace(/…$/u, ""));
    expect(noKeyLine(painted)).toMatch(/API_KEY|authToken|api_key/u);
  });

  it("is not taken for what merely names a key", () => {
    expect(noKeyLine("const apiKey = process.env.OPENAI_API_KEY;\nexpected 1 to be 2")).toBeUndefined();
  });

  it("lacks the first variable of each provider that has none of them", () => {
    expect(keysNotIn({ B: "x", C: "" }, [["A", "B"], ["C", "D"], []])).toEqual(["C"]);
  });
});
