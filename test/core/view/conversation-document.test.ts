import { describe, expect, it } from "vitest";
import { describeRecording } from "../../../src/core/view/describe.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { type AskedRecording, renderConversation } from "../../../src/core/view/conversation-document.ts";
import { aChatCall, assistant, recordingOf, user, type WireCall } from "./conversation/conversations.ts";
import { FAMILIES } from "./conversation/families.ts";

const TEST = { file: "tests/agent.test.ts", name: ["agent", "looks the order up"], line: 7 };
const providers = createProviders();

function asked(calls: readonly WireCall[]): readonly AskedRecording[] {
  return calls.map((call, at) => ({
    entry: `calls/${at + 1}.json`,
    read: describeRecording(recordingOf(call), providers, {}),
  }));
}

/** Without the lines of the rules, which have a width. */
function linesOf(text: string): readonly string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/ ─{3,}( |$)/u, " ── ").trimEnd());
}

describe("a test as a conversation", () => {
  it("has each message once, tools with what they gave, and who answered in which turn", () => {
    const { text } = renderConversation(TEST, asked(FAMILIES["OpenAI's chat"] ?? []));

    expect(linesOf(text)).toEqual([
      "tests/agent.test.ts:7  agent › looks the order up",
      "2 calls · m",
      "",
      "── user ──",
      "Where is my order A-1042?",
      "── 1 assistant ── stop",
      'look_up_order({"id":"A-1042"})',
      "── tool ──",
      'look_up_order({"id":"A-1042"}) → {"status":"shipped"}',
      "── 2 assistant ── stop",
      "It ships Friday.",
    ]);
  });

  it.each(Object.keys(FAMILIES))("shows the question and the answer once in %s", (family) => {
    const { text } = renderConversation(TEST, asked(FAMILIES[family] ?? []));

    for (const once of [
      "Where is my order A-1042?",
      "It ships Friday.",
      "── 1 assistant ─",
      "── 2 assistant ─",
    ])
      expect(text.split(once)).toHaveLength(2);
    expect(text).toMatch(/look_up_order\(\{"id": ?"A-1042"\}\)/u);
    expect(text).toMatch(/→ \{"status": ?"shipped"\}/u);
  });

  it("marks where branches diverge and where another conversation begins", () => {
    const plan = [user("Plan a trip")];
    const planned = [...plan, assistant("Rome or Oslo?")];
    const { text } = renderConversation(
      TEST,
      asked([
        aChatCall(plan, "Rome or Oslo?"),
        aChatCall([...planned, user("Rome")], "Train."),
        aChatCall([...planned, user("Oslo")], "Coat."),
        aChatCall([user("Say hi")], "Hi!"),
      ]),
    );

    const titles = linesOf(text).filter((line) => line.startsWith("──"));
    expect(titles).toEqual([
      "── conversation 1 of 2 ──",
      "── user ──",
      "── 1 assistant ── stop",
      "── branch 1 of 2 after turn 1 ──",
      "── user ──",
      "── 2 assistant ── stop",
      "── branch 2 of 2 after turn 1 ──",
      "── user ──",
      "── 2 assistant ── stop",
      "── conversation 2 of 2 ──",
      "── user ──",
      "── 1 assistant ── stop",
    ]);
  });

  it("leads from each answer to its recording, and from its head to the test", () => {
    const { text, links } = renderConversation(TEST, asked(FAMILIES["OpenAI's chat"] ?? []));
    const lines = text.split("\n");

    expect(links.map(({ line, start, end, target }) => [lines[line]?.slice(start, end), target])).toEqual([
      ["tests/agent.test.ts:7", { kind: "test", file: TEST.file, line: 7 }],
      ["1 assistant", { kind: "recording", entry: "calls/1.json" }],
      ["2 assistant", { kind: "recording", entry: "calls/2.json" }],
    ]);
  });

  it("shows settings with the first turn, and again when they change, folded", () => {
    const cooler = { ...aChatCall([user("One"), assistant("1"), user("Two")], "2") };
    const settings = (call: WireCall, temperature: number): WireCall => ({
      ...call,
      ask: { ...(call.ask as object), temperature },
    });
    const { text, sections } = renderConversation(
      TEST,
      asked([settings(aChatCall([user("One")], "1"), 0.2), settings(cooler, 0.7)]),
    );

    expect(linesOf(text).filter((line) => line.startsWith("temperature"))).toEqual([
      "temperature 0.2",
      "temperature 0.7",
    ]);
    expect(
      sections.filter(({ title }) => title === "parameters").every(({ folded }) => folded === true),
    ).toBe(true);
  });

  it("shows instructions once when the provider stores the conversation", () => {
    const again = (call: WireCall): WireCall => ({
      ...call,
      ask: { ...(call.ask as object), instructions: "Be brief." },
    });
    const { text } = renderConversation(TEST, asked((FAMILIES["OpenAI's responses by id"] ?? []).map(again)));

    expect(text.split("Be brief.")).toHaveLength(2);
  });

  it("counts the missing calls in its header", () => {
    const { text } = renderConversation(TEST, asked([aChatCall([user("Hi")], "Hello")]), { missing: 2 });

    expect(text.split("\n")[2]).toBe(
      "2 more calls are missing: they are not recorded, so they are not shown here",
    );
  });

  it("explains why a file is unreadable, hides no other turn, and counts the omitted calls", () => {
    const broken = { entry: "calls/0.json", read: { failure: "It is cut off at 3:1." } };
    const { text } = renderConversation(TEST, [broken, ...asked([aChatCall([user("Hi")], "Hello")])], {
      more: 3,
    });

    expect(text).toContain("It is cut off at 3:1.");
    expect(text).toContain("Hello");
    expect(text).toContain("… 3 more calls");
  });

  it("makes untrusted text harmless", () => {
    const { text } = renderConversation(
      { file: "a.test.ts", name: ["evil\u202Etitle"] },
      asked([aChatCall([user("\u001B[2Jgone")], "\u202Eright to left")]),
    );

    expect(text).not.toContain("\u001B");
    expect(text).not.toContain("\u202E");
  });
});
