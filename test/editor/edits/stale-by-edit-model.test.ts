import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestRef } from "../../../src/core/call.ts";
import { createLiteralReader, type LiteralReader } from "../../../src/editor/edits/literals-model.ts";
import { staleByEdit, type EditedRecording } from "../../../src/editor/edits/stale-by-edit-model.ts";
import { sourceWithoutSecrets, type SourceState } from "../../../src/editor/edits/visible-source-model.ts";
import { createTestFinder, type TestFinder } from "../../../src/editor/test-discovery/find-tests-model.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { readBody } from "../../../src/core/match/key/read-body.ts";
import { computeKey } from "../../../src/core/match/key/key.ts";
import { compileRules } from "../../../src/core/match/rules/rules.ts";
import { loadPatterns } from "../../../src/core/match/rules/patterns.ts";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";
import { seeded } from "../../support/seeded.ts";
import { aRecording, bytes, sha256 } from "../../support/a-recording.ts";
import { grammarsDir } from "../test-discovery/finder.ts";

const FILE = "tests/chat.test.ts";

let literals: LiteralReader;
let finder: TestFinder;
beforeAll(async () => {
  literals = await createLiteralReader({ grammarsDir });
  finder = await createTestFinder({ grammarsDir });
});
afterAll(() => {
  literals.dispose();
  finder.dispose();
});

async function stateOf(text: string, language = "typescript"): Promise<SourceState> {
  return { ...(await literals.read(text, language)), tests: await finder.findTests(text, language) };
}

function requestOf(...texts: readonly string[]) {
  const messages = texts.map((content, index) => ({ role: index === 0 ? "system" : "user", content }));
  return { body: bytes(JSON.stringify({ model: "gpt-4o-mini", messages })) };
}

/** A recording of a test of the file that asked these texts. */
function asked(title: string, ...texts: readonly string[]): EditedRecording {
  const recording = aRecording({ request: requestOf(...texts) });
  return { entry: `${title}: ${texts.join(" | ")}`, tests: [aTestOf(title)], recording };
}

function aTestOf(title: string, file = FILE): TestRef {
  return { file, name: [title] };
}

function keyOfAsking(...texts: readonly string[]) {
  return aRecording({ request: requestOf(...texts) }).key;
}

const NOBODY = (_provider: string, _key: string): string | undefined => undefined;

async function marks(
  before: string,
  now: string,
  recordings: readonly EditedRecording[],
  { language = "typescript", answers = NOBODY } = {},
) {
  const edited = { file: FILE, before: await stateOf(before, language), now: await stateOf(now, language) };
  return staleByEdit(edited, { recordings, sha256, answers });
}

const SOURCE = `
import { ask } from "./terse";
const SYSTEM = "You are terse.";
it("says hi", async () => {
  expect(await ask(SYSTEM, "Say hi in one word")).toBe("hi");
});
it("says bye", async () => {
  await ask(SYSTEM, "Say bye in one word");
});
`;
const HI = asked("says hi", "You are terse.", "Say hi in one word");
const BYE = asked("says bye", "You are terse.", "Say bye in one word");
const BOTH = [HI, BYE];

describe("an edit of a prompt, before any run", () => {
  it("marks the recordings of the tests that ask it, with the key of what they will ask", async () => {
    const found = await marks(SOURCE, SOURCE.replace("Say hi in", "Say hello in"), BOTH);

    expect([...found]).toEqual([
      [
        HI.entry,
        {
          isCertain: true,
          newKey: keyOfAsking("You are terse.", "Say hello in one word"),
          file: FILE,
          text: '"Say hi in one word" → "Say hello in one word"',
        },
      ],
    ]);
  });

  it("of a text that all tests share marks all of them", async () => {
    const found = await marks(SOURCE, SOURCE.replace("terse.", "brief."), BOTH);

    expect([...found.values()].map(({ newKey }) => newKey)).toEqual([
      keyOfAsking("You are brief.", "Say hi in one word"),
      keyOfAsking("You are brief.", "Say bye in one word"),
    ]);
  });

  it("that is undone marks nothing", async () => {
    expect((await marks(SOURCE, SOURCE, BOTH)).size).toBe(0);
    expect((await marks(SOURCE, `${SOURCE}\n// a comment: "Say hi in one word"\n`, BOTH)).size).toBe(0);
  });

  it("of what is expected, imported or only looks alike marks nothing", async () => {
    const expected = await marks(SOURCE, SOURCE.replace('toBe("hi")', 'toBe("hello")'), BOTH);
    const part = await marks(
      SOURCE.replace('toBe("hi")', 'toBe("one word")'),
      SOURCE.replace('toBe("hi")', 'toBe("two words")'),
      BOTH,
    );
    const imported = await marks(SOURCE, SOURCE.replace("./terse", "./other"), BOTH);
    const elsewhere = await marks(SOURCE, SOURCE.replace("Say hi", "Say yo"), [BYE]);

    expect([expected.size, part.size, imported.size, elsewhere.size]).toEqual([0, 0, 0, 0]);
  });

  it("says which recording answers the new call already", async () => {
    const answers = (_: string, key: string) =>
      key === keyOfAsking("You are terse.", "Say yo") ? "calls/yo.json" : undefined;

    const found = await marks(SOURCE, SOURCE.replace("Say hi in one word", "Say yo"), BOTH, { answers });

    expect(found.get(HI.entry)?.answeredBy).toBe("calls/yo.json");
  });

  it("that moves a text to where the test still sees it marks nothing", async () => {
    const moved = `${SOURCE.replace('"Say hi in one word"', "HI")}\nconst HI = "Say hi in one word";\n`;

    expect((await marks(SOURCE, moved, BOTH)).size).toBe(0);
  });

  it("of a literal that stands twice where the test sees it is not certain, of another test's no matter", async () => {
    const twice = `
it("a", () => { ask("Same words here"); ask("Same words here"); });
it("b", () => { ask("Same words here"); });`;
    const recordings = [asked("a", "Same words here"), asked("b", "Same words here")];

    const found = await marks(twice, twice.replace("Same words here", "Other words"), recordings);

    expect([...found]).toEqual([
      [recordings[0]?.entry, { isCertain: false, file: FILE, text: '"Same words here"' }],
    ]);
  });

  it("that deletes a test marks nothing of it: nobody will miss the call", async () => {
    const without = SOURCE.replace(/it\("says bye"[\s\S]*$/, "");

    expect((await marks(SOURCE, without, BOTH)).size).toBe(0);
  });

  it("takes a text away, and then no key is claimed", async () => {
    const found = await marks(
      SOURCE,
      SOURCE.replace('ask(SYSTEM, "Say hi in one word")', "ask(SYSTEM)"),
      BOTH,
    );

    expect(found.get(HI.entry)).toEqual({ isCertain: true, file: FILE, text: '"Say hi in one word"' });
  });

  it("reaches through templates, concatenation, escapes and indentation", async () => {
    const source = [
      "it('t', () => {",
      "  ask(`",
      "    Dear ${name},",
      "    answer in \\u201cone\\u201d word.",
      "  `, 'first ' + 'second part' + other);",
      "});",
    ].join("\n");
    const recordings = [asked("t", "Dear Ann,\nanswer in “one” word.", "first second part!")];

    const template = await marks(source, source.replace("word.", "line."), recordings);
    const part = await marks(source, source.replace("second part", "third part"), recordings);

    expect([...template.values()][0]?.newKey).toBe(
      keyOfAsking("Dear Ann,\nanswer in “one” line.", "first second part!"),
    );
    expect([...part.values()][0]?.newKey).toBe(
      keyOfAsking("Dear Ann,\nanswer in “one” word.", "first third part!"),
    );
  });

  it("is understood in Python: f-strings, prefixes, docstrings, names of members", async () => {
    const source = [
      "def test_hi():",
      '    """Say hi there."""',
      '    ask(f"Say {word} to all {{of}} them", r"raw \\n text", temperature="low")',
      '    ask({"role": "user", "tone": "kind"})',
    ].join("\n");
    const said = (text: string, tone: string) => ({
      entry: text,
      tests: [aTestOf("test_hi")],
      recording: aRecording({ request: { body: bytes(JSON.stringify({ text, [tone]: "x" })) } }),
    });
    const one = said("Say hi to all {of} them", "tone");
    const raw = said("raw \\n text", "tone");
    const language = "python";

    const format = await marks(source, source.replace("to all", "to both"), [one], { language });
    const rawText = await marks(source, source.replace("raw", "very raw"), [raw], { language });
    const member = await marks(source, source.replace('"tone"', '"mood"'), [one], { language });
    const docstring = await marks(source, source.replace("Say hi there", "Say ho"), [one, raw], { language });

    expect(format.get(one.entry)?.newKey).toBe(said("Say hi to both {of} them", "tone").recording.key);
    expect(rawText.get(raw.entry)?.newKey).toBe(said("very raw \\n text", "tone").recording.key);
    expect(member.get(one.entry)?.newKey).toBe(said("Say hi to all {of} them", "mood").recording.key);
    expect(docstring.size).toBe(0);
  });

  it("in a file of prompts reaches the recordings of every test that sends them", async () => {
    const prompts = 'export const HI = "Say hi in one word";\nexport const BYE = "Say bye in one word";\n';
    const recordings = BOTH.map((one) => ({ ...one, tests: [aTestOf("x", "tests/other.test.ts")] }));

    const found = await marks(prompts, prompts.replace("Say bye", "Wave"), recordings);

    expect([...found.keys()]).toEqual([BYE.entry]);
  });

  it("of a number or a truth value marks what was sent with it, with the key of what will be", async () => {
    const source = `
const maxTokens = 64;
it("cold", () => ask({ temperature: 0.2, stream: false, seed: 7 }, { retries: 7, maxTokens }));
it("hot", () => ask({ temperature: 0.9, stream: false }));
`;
    const sent = (title: string, options: object) => ({
      entry: JSON.stringify(options),
      tests: [aTestOf(title)],
      recording: aRecording({ request: { body: bytes(JSON.stringify(options)) } }),
    });
    const cold = { temperature: 0.2, stream: false, seed: 7, max_tokens: 64 };
    const hot = { temperature: 0.9, stream: false };
    const recordings = [sent("cold", cold), sent("hot", hot)];
    const after = (from: string, to: string) => marks(source, source.replace(from, to), recordings);
    const keyOf = (options: object) => sent("", options).recording.key;

    const colder = [...(await after("temperature: 0.2", "temperature: -1e-1"))];
    const shared = [...(await after("maxTokens = 64", "maxTokens = 1_28"))];
    const streamed = [...(await after("stream: false }));", "stream: true }));"))];
    const gone = [...(await after("temperature: 0.2, ", ""))];

    expect(colder).toEqual([
      [
        recordings[0]?.entry,
        {
          isCertain: true,
          newKey: keyOf({ ...cold, temperature: -0.1 }),
          file: FILE,
          text: "temperature: 0.2 → -0.1",
        },
      ],
    ]);
    expect(shared.map(([entry, { newKey }]) => [entry, newKey])).toEqual([
      [recordings[0]?.entry, keyOf({ ...cold, max_tokens: 128 })],
    ]);
    expect(streamed.map(([, { newKey }]) => newKey)).toEqual([keyOf({ ...hot, stream: true })]);
    expect(gone).toEqual([[recordings[0]?.entry, { isCertain: true, file: FILE, text: "temperature: 0.2" }]]);
    expect((await after("retries: 7", "retries: 9")).size).toBe(0);
  });

  it("of a number is followed in Python: arguments, members, defaults", async () => {
    const source = [
      "def chat(text, temperature=0.2, top_p: float = 1.0): ...",
      "def test_hi():",
      '    chat("hi", seed=7, **{"stream": False})',
    ].join("\n");
    const sent = { temperature: 0.2, top_p: 1, seed: 7, stream: false };
    const one = (options: object) => ({
      entry: "one",
      tests: [aTestOf("test_hi")],
      recording: aRecording({ request: { body: bytes(JSON.stringify(options)) } }),
    });
    const keys = async (from: string, to: string) => {
      const found = await marks(source, source.replace(from, to), [one(sent)], { language: "python" });
      return found.get("one")?.newKey;
    };

    expect(await keys("temperature=0.2", "temperature=0.7")).toBe(
      one({ ...sent, temperature: 0.7 }).recording.key,
    );
    expect(await keys("= 1.0", "= 0.5")).toBe(one({ ...sent, top_p: 0.5 }).recording.key);
    expect(await keys("seed=7", "seed=8")).toBe(one({ ...sent, seed: 8 }).recording.key);
    expect(await keys("False", "True")).toBe(one({ ...sent, stream: true }).recording.key);
  });

  it("of a number in a file from which no test calls says nothing of any recording", async () => {
    const elsewhere = {
      entry: "one",
      tests: [aTestOf("x", "tests/other.test.ts")],
      recording: aRecording({ request: { body: bytes('{"n":1}') } }),
    };

    expect((await marks("go({ n: 1 });", "go({ n: 2 });", [elsewhere])).size).toBe(0);
    expect((await marks("go({ n: 1 });", "go({ n: 2 });", [{ ...elsewhere, isCalledFrom: true }])).size).toBe(
      1,
    );
  });

  it("of what a rule of the project leaves out marks nothing, of the rest gives the key under the rules", async () => {
    const rules = [{ ignore: "/temperature" }, { ignore: "/messages/0/content" }] as const;
    const normalise = compileRules(rules, await loadPatterns());
    const source = `
it("hi", () => ask("You are terse.", "Say hi in one word", { temperature: 0.2 }));`;
    const request = (temperature: number, system: string, user: string) => ({
      body: bytes(
        JSON.stringify({
          temperature,
          messages: [
            { role: "system", content: system },
            { role: "user", content: user },
          ],
        }),
      ),
    });
    const underRules = (recording: Recording) => {
      const { provider, operation, request: sent } = recording;
      const body = readBody({ ...sent, operation });
      return computeKey({ ...sent, provider, operation, body }, sha256, normalise);
    };
    const recording = aRecording({ request: request(0.2, "You are terse.", "Say hi in one word") });
    const one = { entry: "one", tests: [aTestOf("hi")], recording };
    const after = async (from: string, to: string) => {
      const file = {
        file: FILE,
        before: await stateOf(source),
        now: await stateOf(source.replace(from, to)),
      };
      return staleByEdit(file, {
        recordings: [one],
        sha256,
        answers: NOBODY,
        ...(normalise && { normalise }),
      });
    };

    expect((await after("0.2", "0.7")).size).toBe(0);
    expect((await after("You are terse.", "You are kind.")).size).toBe(0);
    expect((await after('"You are terse.", ', "")).size).toBe(0);
    expect((await after("Say hi in one", "Say yo in one")).get("one")?.newKey).toBe(
      underRules(aRecording({ request: request(0.2, "x", "Say yo in one word") })),
    );
  });

  it("of a text that is being typed and does not parse fails at nothing", async () => {
    for (const cut of [5, 60, 90, 140, 200])
      await expect(marks(SOURCE, SOURCE.slice(0, cut), BOTH)).resolves.toBeDefined();
  });
});

describe("whatever is edited", () => {
  const word = fc.stringMatching(/^[a-z]{4,9}$/);
  const story = fc.uniqueArray(word, { minLength: 4, maxLength: 12 }).chain((words) =>
    fc.record({
      words: fc.constant(words),
      index: fc.nat({ max: words.length - 2 }),
      sent: fc.subarray(words.slice(0, -1), { minLength: 1 }),
    }),
  );
  const stateFrom = (words: readonly string[]): SourceState => ({
    chunks: words.map((text, index) => ({ text: `<${text}>`, line: index + 1 })),
    options: [],
    tests: [],
  });
  const sentAs = (words: readonly string[]) => words.map((text) => `<${text}>`).join("");

  it("a mark is there exactly where the text was sent, its key is that of the call to come, undone it is gone", () => {
    let marked = 0;
    fc.assert(
      fc.property(story, ({ words, index, sent }) => {
        const fresh = words.at(-1) ?? "";
        const source = words.slice(0, -1);
        const old = source[index] ?? "";
        const edited = source.with(index, fresh);
        const one = { ...asked("t", sentAs(sent)), tests: [] };
        const change = (before: readonly string[], now: readonly string[]) =>
          staleByEdit(
            { file: FILE, before: stateFrom(before), now: stateFrom(now) },
            { recordings: [one], sha256, answers: () => undefined },
          ).get(one.entry);

        const mark = change(source, edited);

        const to = keyOfAsking(sentAs(sent.map((text) => (text === old ? fresh : text))));
        expect(mark?.newKey).toBe(sent.includes(old) ? to : undefined);
        expect(change(source, source)).toBeUndefined();
        if (mark) marked += 1;
      }),
      { numRuns: 300 },
    );
    expect(marked).toBeGreaterThan(50);
    console.log(`▸ edits of prompts: 300 stories, ${marked} marked, every key that of the call to come`);
  });
});

describe("an edit in a project that redacts", () => {
  const { "GitHub token": token = "", "OpenAI key": other = "" } = madeUpSecrets();
  const source = (text: string): string => `it("looks", async () => { await ask("Be terse.", "${text}"); });`;
  const one = (text: string): EditedRecording => asked("looks", "Be terse.", text);
  const stale = async (before: string, now: string, recorded: EditedRecording) => {
    const scan = await loadScanner();
    const answers = (_: string, key: string): string | undefined =>
      key === keyOfAsking("Be terse.", "Look [redacted: GitHub token] up")
        ? "the one that is there"
        : undefined;
    const [was, is] = [await stateOf(source(before)), await stateOf(source(now))];
    const edited = {
      file: FILE,
      before: sourceWithoutSecrets(was, scan),
      now: sourceWithoutSecrets(is, scan),
    };
    return staleByEdit(edited, { recordings: [recorded], sha256, answers, scan });
  };

  it("that brings a secret in asks what is recorded without it", async () => {
    const found = await stale("Look it up", `Look ${token} up`, one("Look it up"));

    expect([...found.values()]).toMatchObject([{ answeredBy: "the one that is there" }]);
    expect(JSON.stringify([...found])).not.toContain(token);
  });

  it("of a prompt that says a secret marks the recording that was made without it, and shows none", async () => {
    const found = await stale(
      `Use ${other} now`,
      `Use ${other} later`,
      one("Use [redacted: OpenAI key] now"),
    );

    expect([...found.values()]).toMatchObject([
      { newKey: keyOfAsking("Be terse.", "Use [redacted: OpenAI key] later") },
    ]);
    expect(JSON.stringify([...found])).not.toContain(other.slice(8, 40));
  });

  it("of nothing but the secret makes nothing stale", async () => {
    const { "GitHub token": another = "" } = madeUpSecrets(seeded(8));

    const found = await stale(`Use ${token}`, `Use ${another}`, one("Use [redacted: GitHub token]"));

    expect([...found]).toEqual([]);
  });
});
