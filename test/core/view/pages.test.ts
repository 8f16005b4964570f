import { expect, it } from "vitest";
import { writeVisibleJson } from "../../../src/core/base/visible.ts";
import type { Difference, Miss } from "../../../src/core/call/call.ts";
import type { ConversationMessage, ConversationPart } from "../../../src/core/protocol/base/protocol.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { type AskedRecording, renderConversation } from "../../../src/core/view/conversation-document.ts";
import { describeRecording } from "../../../src/core/view/describe.ts";
import { renderMiss } from "../../../src/core/view/miss-document.ts";
import { createEditorReader, formatMissLines } from "../../../src/core/view/miss.ts";
import { buildOverview, type OverviewParts } from "../../../src/core/view/overview/overview.ts";
import { renderOverview } from "../../../src/core/view/overview/overview-document.ts";
import { renderRecording } from "../../../src/core/view/recording-document.ts";
import type { RenderedDocument } from "../../../src/core/view/rendered-document.ts";
import {
  formatDuration,
  renderTimeline,
  type TimelineOptions,
} from "../../../src/core/view/run-record/timeline-document.ts";
import type { RunCall, RunRecord } from "../../../src/core/view/run-record/run-record.ts";
import { aLongRun, aRun, aRunCall } from "../../support/a-run.ts";
import { aChatCall, assistant, recordingOf, user, type WireCall } from "./conversation/conversations.ts";
import { FAMILIES } from "./conversation/families.ts";
import { aMiss, aView, NOW } from "./views.ts";

/*
 * Documents as a person reads them. The page beside this test has each one: its text, its links with their targets, and
 * its sections. `vitest FILE -u` writes the page anew.
 */

type Stories = Readonly<Record<string, RenderedDocument>>;

const TEST = { file: "tests/chat.test.ts", name: ["chat", "answers in one word"], line: 12 };
const PATH = ".tapedeck/calls/openai/3f/3f9a.json";

const recorded = (
  view: Parameters<typeof aView>[0],
  options: Partial<Parameters<typeof renderRecording>[1]> = {},
) => renderRecording(aView(view), { now: NOW, ...options });
const replied = (...parts: ConversationPart[]) =>
  recorded({ projection: { messages: [{ role: "assistant", parts }] } });
const asked = (...messages: ConversationMessage[]) => recorded({ conversation: { messages, settings: [] } });
const media = (kind: "image" | "audio" | "file", description: string, url?: string): ConversationPart => ({
  type: "media",
  media: kind,
  description,
  ...(url !== undefined && { url }),
});
const toolCall = (name: string, text: string): ConversationPart => ({
  type: "tool-call",
  id: "c1",
  name,
  arguments: text,
});
const result = (id: string, text: string): ConversationPart => ({ type: "tool-result", id, text });

const RECORDINGS: Stories = {
  "its origin, the request, the answer, and the settings": recorded(
    { recording: { test: TEST } },
    { path: PATH, take: { k: 1, of: 1 } },
  ),
  "all tests that use it, each a link to its line": recorded(
    { recording: { test: TEST } },
    { usedBy: [TEST, { file: "tests/other.test.ts", name: [] }] },
  ),
  "a candidate as new, with a link to its file": recorded({}, { candidate: true, path: PATH }),
  "a tool call on one line, with its digits": replied(
    toolCall("pay", '{\n  "to": "Ann  B.",\n  "cents": 9007199254740993\n}'),
  ),
  "a result of several lines, and one of an unknown call": asked(
    { role: "assistant", parts: [toolCall("ls", "{}")] },
    { role: "tool", parts: [result("c1", "a.txt\nb.txt"), result("c9", "lost")] },
  ),
  "a picture as a link, without its bytes": asked({
    role: "user",
    parts: [media("image", "image/png, 4 KB", "data:image/png;base64,AAAA"), media("audio", "wav")],
  }),
  "no link that is neither a web address nor data": asked({
    role: "user",
    parts: [media("file", "notes", "command:workbench.action.quit")],
  }),
  "cached and thinking tokens, one event, and a status other than 200": recorded({
    recording: { reply: { status: 429, body: new Uint8Array() } },
    projection: {
      messages: [],
      events: 1,
      usage: { inputTokens: 100, cachedInputTokens: 80, outputTokens: 9, reasoningTokens: 4 },
    },
  }),
  "long settings over lines": recorded({
    conversation: {
      messages: [],
      settings: [
        ["temperature", "0.2"],
        ["tools", "t".repeat(99)],
        ["seed", "7"],
      ],
    },
  }),
  "a reply that would steer the reader's terminal": replied(
    { type: "text", text: "one\r\ntwo\rthree\u001b[2J\u0007\u009b31m\ttab" },
    { type: "other", description: "x\ny", text: "" },
  ),
};

const change = (at: string, text: string, more: Partial<Difference> = {}): Difference => ({
  at,
  kind: "changed",
  text,
  ...more,
});
const near = (...differences: readonly Difference[]): Pick<Miss, "nearest"> => ({
  nearest: {
    entry: `calls/openai/7b/7b00aaaa${"0".repeat(56)}.json`,
    key: `sha256:7b00aaaa${"0".repeat(56)}`,
    recordedAt: "2026-11-17T11:00:00.000Z",
    differences,
  },
});
const NEAREST = near(
  change("/messages/0/content", 'messages[0] (system): "terse" → "brief"', {
    marked: "You are [-terse-]{+brief+}.",
  }),
  change("/temperature", "temperature 0.2 → 0.7", { recorded: "0.2", asked: "0.7" }),
);
const MADE_UP = near(change("/user", "user", { recorded: "job-12345", asked: "job-67890" }));

type MissOptions = Omit<Parameters<typeof renderMiss>[2], "now">;
const missed = (miss: Partial<Miss>, options: MissOptions = { test: TEST }) =>
  renderMiss(aMiss(miss), aView(), { now: NOW, ...options });

const MISSES: Stories = {
  "its test, the differences from the nearest recording, and the request": missed(NEAREST),
  "the origins of its values": missed({
    ...MADE_UP,
    request: { ...aMiss().request, values: [{ text: "41234", origin: "port 1" }] },
  }),
  "values without a known origin": missed(MADE_UP),
  "the place of the call, which is not in the test itself": missed(
    {},
    {
      test: { ...TEST, at: { file: "src/ask.ts", line: 9 } },
    },
  ),
  "an unknown test, no near recording, and a repeated call": missed({}, { count: 3 }),
  "a call that was recorded since": missed(NEAREST, { test: TEST, answeredBy: "calls/openai/3f/3f9a.json" }),
};

const providers = createProviders();
const told = (calls: readonly WireCall[]): readonly AskedRecording[] =>
  calls.map((call, at) => ({
    entry: `calls/${at + 1}.json`,
    read: describeRecording(recordingOf(call), providers, {}),
  }));
const AGENT = { file: "tests/agent.test.ts", name: ["agent", "looks the order up"], line: 7 };
const talked = (calls: readonly WireCall[], options?: Parameters<typeof renderConversation>[2]) =>
  renderConversation(AGENT, told(calls), options);
const asking = (call: WireCall, more: object): WireCall => ({
  ...call,
  ask: { ...(call.ask as object), ...more },
});

const PLAN = [user("Plan a trip")];
const PLANNED = [...PLAN, assistant("Rome or Oslo?")];
const HI = aChatCall([user("Hi")], "Hello");

const CONVERSATIONS: Stories = {
  ...Object.fromEntries(
    Object.entries(FAMILIES).map(([name, calls]) => [`the turns in ${name}`, talked(calls)]),
  ),
  "branches that diverge, and another conversation": talked([
    aChatCall(PLAN, "Rome or Oslo?"),
    aChatCall([...PLANNED, user("Rome")], "Train."),
    aChatCall([...PLANNED, user("Oslo")], "Coat."),
    aChatCall([user("Say hi")], "Hi!"),
  ]),
  "settings with the first turn, and again when they change": talked([
    asking(aChatCall([user("One")], "1"), { temperature: 0.2 }),
    asking(aChatCall([user("One"), assistant("1"), user("Two")], "2"), { temperature: 0.7 }),
  ]),
  "instructions once if the provider stores the conversation": talked(
    (FAMILIES["OpenAI's responses by id"] ?? []).map((call) => asking(call, { instructions: "Be brief." })),
  ),
  "how many calls are missing": talked([HI], { missing: 2 }),
  "a file that cannot be read, and how many calls are left out": renderConversation(
    AGENT,
    [{ entry: "calls/0.json", read: { failure: "It is cut off at 3:1." } }, ...told([HI])],
    { more: 3 },
  ),
  "untrusted text": renderConversation(
    { file: "a.test.ts", name: ["evil\u202Etitle"] },
    told([aChatCall([user("\u001B[2Jgone")], "\u202Eright to left")]),
  ),
};

const ENTRY = `calls/openai/01/${"0123456789ab".padEnd(64, "0")}.json`;
const OTHER = { file: "b.test.ts", name: ["other"] };
const timed = (run: RunRecord | undefined, options: Partial<TimelineOptions> = {}) =>
  renderTimeline(run, { which: "run", timeOf: () => "Jan 15", ...options });
const ORDER = aRunCall("Where is my order?", {
  ms: 1_000,
  firstByteMs: 500,
  outcome: "recorded",
  entry: ENTRY,
  answered: "look_up(A-1)",
  tokens: { input: 1_200, output: 80, cached: 1_024 },
  costUsd: 0.0012,
});
const TWO = aRun([aRunCall("a"), aRunCall("b", { at: 5_000, ms: 20, test: OTHER })]);

const TIMELINES: Stories = {
  "a line for each call with its bar, by test, with a shared model once": timed(
    aRun(
      [
        ORDER,
        aRunCall("Hello", { at: 500, test: OTHER, outcome: "miss", note: "temperature 0.2 → 0.7" }),
        aRunCall("Where is it?", { at: 1_500, ms: 500, model: "o4", continues: ["0123456789ab"] }),
      ],
      { passed: false },
    ),
  ),
  "long prompts and replies, shortened": timed(
    aRun([
      aRunCall("Where is my order ".repeat(4), { answered: "It is on its way ".repeat(4) }),
      aRunCall("我的订单在哪里".repeat(10), { outcome: "miss" }),
    ]),
  ),
  "links to a missing call": timed(aRun([aRunCall("missed", { outcome: "miss", key: "sha256:0" })])),
  "the times of the recordings, and which are unknown": timed(
    aRun([aRunCall("a", { recorded: { ms: 900 } }), aRunCall("b", { at: 10 })]),
    { which: "recorded" },
  ),
  "a test's calls alone": timed(TWO, { test: { file: "b.test.ts", name: ["other"] } }),
  "a file's calls alone": timed(TWO, { test: { file: "b.test.ts", name: [] } }),
  "no run": timed(undefined),
  "a run without calls of a test": timed(aRun([aRunCall("a")]), { test: OTHER }),
  "a run that passed": timed(aRun([aRunCall("a")], { passed: true })),
  "no run with missed calls as passed, because a pipe hides the exit code of tests": timed(
    aRun([aRunCall("a", { outcome: "miss" })], { passed: true }),
  ),
};

const DAYS: Readonly<Record<number, string>> = { 1: "2026-11-22", 2: "2026-11-23", 3: "2026-01-01" };
const aCall = (changes: Partial<RunCall>): RunCall => aRunCall("Hi", { model: "gpt-4o", ...changes });
const ran = (startedAt: number, ...calls: readonly RunCall[]) =>
  aRun(calls, { startedAt, id: `run of ${DAYS[startedAt] ?? ""}` });
const seenOver = (runs: OverviewParts["runs"]) =>
  renderOverview(
    buildOverview({
      days: ["2026-11-22", "2026-11-23"],
      runs,
      dayOf: (at) => DAYS[at] ?? "",
      upstreamOf: (provider) => (provider === "ollama" ? "http://127.0.0.1:11434" : undefined),
    }),
    { timeOf: (at) => `${DAYS[at] ?? ""} 10:00` },
  );
const REPLAYED = aCall({ ms: 2, tokens: { input: 900, output: 100 }, costUsd: 0.5, recorded: { ms: 1_500 } });

const OVERVIEWS: Stories = {
  "the period, its days, models, and runs": seenOver([
    ran(1, aCall({ outcome: "recorded", at: 50, ms: 700, costUsd: 0.25, tokens: { input: 9 } })),
    ran(2, REPLAYED, aCall({ tokens: { input: 1 } }), aCall({ outcome: "miss", model: "o3" })),
    ran(3, REPLAYED),
  ]),
  "no runs": seenOver([]),
  "text from other sources on one line, visibly": seenOver([
    ran(2, aCall({ model: "a\n── runs ───\u202e" })),
  ]),
  "calls to this machine as free, and no negative time saved": seenOver([
    ran(
      2,
      aCall({ tokens: { input: 1 }, ms: 50, recorded: { ms: 10 } }),
      aCall({ provider: "ollama", tokens: { input: 1 } }),
    ),
  ]),
};

/** A document as the page has it. Its sections cover all below its header, and nothing in it is invisible. */
function show([title, { text, sections, links }]: readonly [string, RenderedDocument]): string {
  const lines = text.split("\n");
  const ends = sections.map(({ endLine }) => endLine + 1);
  expect([title, sections.slice(1).map(({ line }) => line)]).toEqual([title, ends.slice(0, -1)]);
  expect([title, ends.at(-1) ?? lines.length - 1]).toEqual([title, lines.length - 1]);
  expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\u202e]/u);
  const linked = links.map(
    ({ line, start, end, target }) => `→ ${lines[line]?.slice(start, end)}: ${writeVisibleJson(target)}`,
  );
  const listed = sections.map(
    (one) => `${one.title} from ${one.line}${one.folded === true ? ", folded" : ""}`,
  );
  const facts = [...linked, ...(listed.length > 0 ? [`sections: ${listed.join("; ")}`] : [])];
  return [`# ${title}`, ...lines.map((line) => line.trimEnd()), ...facts, ""].join("\n");
}

it.each([
  ["a recording", "recordings", RECORDINGS],
  ["a missing call", "misses", MISSES],
  ["a test as a conversation", "conversations", CONVERSATIONS],
  ["a run as a timeline", "timelines", TIMELINES],
  ["the overview of runs", "overviews", OVERVIEWS],
])("%s is shown as the page of %s has it", async (_, name, stories) => {
  const page = Object.entries(stories).map(show).join("\n");

  await expect(page).toMatchFileSnapshot(`pages/${name}.txt`);
});

it("a timeline has every call of a long run, and how many calls are not stored", () => {
  const { text } = timed({ ...aLongRun(1_010), left: 2 });

  expect(text.match(/Where is my order/g)).toHaveLength(1_010);
  expect(text).toContain("2 more calls are not kept");
});

it("a miss in three lines reads as its page has it", async () => {
  const terminal = { key: aMiss().key };
  const { model: _, ...nameless } = aMiss({ label: "list files", ...near() });
  const stories: readonly (readonly [
    string,
    Parameters<typeof formatMissLines>[0],
    Parameters<typeof formatMissLines>[1],
  ])[] = [
    ["in the editor, without a hash", aMiss(NEAREST), "editor"],
    ["in a terminal, with the digits that `show` accepts", aMiss(NEAREST), terminal],
    ["nothing similar", aMiss(), "editor"],
    [
      "three differences, and how many more there are",
      aMiss(near(...["a", "b", "c", "d", "e"].map((text) => change("", text)))),
      "editor",
    ],
    [
      "a quoted sentence, with one period",
      aMiss(near(change("", 'sentence 2 added: "Be brief."'))),
      "editor",
    ],
    ["no known difference, and no model", nameless, "editor"],
    ["a large folder without a compared recording", aMiss({ uncompared: 5_310 }), "editor"],
    ["a large folder with a near one", aMiss({ ...near(change("", "a")), uncompared: 1 }), "editor"],
    ...[
      { file: "chat.test.ts", name: ["chat", "says hi"], runner: "vitest" },
      { file: "chat.test.ts", name: [], runner: "vitest" },
      { file: "ask.py", name: [] },
      { file: "play.ipynb", name: ["cell 2"] },
      { file: "<python>", name: [] },
      undefined,
    ].map((test) => [`made by ${JSON.stringify(test)}`, aMiss(), createEditorReader(test)] as const),
  ];

  const page = stories.flatMap(([title, miss, reader]) => [
    `# ${title}`,
    ...formatMissLines(miss, reader),
    "",
  ]);

  await expect(page.join("\n")).toMatchFileSnapshot("pages/miss-lines.txt");
});

it("a duration is short and in the units that people use", () => {
  const shown = [0, 0.42, 12.6, 1_240, 59_940, 60_000, 123_000, 7_503_000].map(formatDuration);

  expect(shown).toEqual(["0 ms", "0.4 ms", "13 ms", "1.24 s", "59.9 s", "1 min", "2 min 3 s", "2 h 5 min"]);
});
