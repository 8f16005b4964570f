import { describe, expect, it } from "vitest";
import type { ConversationPart } from "../../../src/core/protocol/base/protocol.ts";
import { renderRecording } from "../../../src/core/view/recording-document.ts";
import { aView, linesOf, linksOf, NOW } from "./views.ts";

const TEST = { file: "tests/chat.test.ts", name: ["chat", "answers in one word"], line: 12 };
const PATH = ".tapedeck/calls/openai/3f/3f9a.json";

function reply(...parts: ConversationPart[]) {
  return aView({ projection: { messages: [{ role: "assistant", parts }] } });
}

function request(...messages: { role: string; parts: ConversationPart[] }[]) {
  return aView({ conversation: { messages, settings: [] } });
}

describe("a recording as a document", () => {
  it("shows its origin, the request, the answer, and the settings", () => {
    const view = aView({ recording: { test: TEST } });

    const { text } = renderRecording(view, { now: NOW, path: PATH, take: { k: 1, of: 1 } });

    expect(text).toBe(`openai · chat.completions · gpt-4o-mini              recorded 3 days ago · take 1 of 1
made by  tests/chat.test.ts:12  chat › answers in one word
file     .tapedeck/calls/openai/3f/3f9a.json  key 3f9a2c41…

── system ───
You are terse.
── user ───
Say hi in one word.
── assistant ─── stream, 14 events · stop · 21 in, 2 out
Hi!
── parameters ───
temperature 0.2 · seed 7 · tools get_weather(city)
`);
  });

  it("names all tests that use it, each a link to its line", () => {
    const usedBy = [TEST, { file: "tests/other.test.ts", name: [] }];

    const rendered = renderRecording(aView({ recording: { test: TEST } }), { now: NOW, usedBy });

    expect(rendered.text.split("\n").slice(1, 3)).toEqual([
      "used by  tests/chat.test.ts:12  chat › answers in one word",
      "         tests/other.test.ts",
    ]);
    expect(linksOf(rendered)).toEqual([
      ["tests/chat.test.ts:12", { kind: "test", file: "tests/chat.test.ts", line: 12 }],
      ["tests/other.test.ts", { kind: "test", file: "tests/other.test.ts" }],
    ]);
  });

  it("marks a candidate as new and links its file", () => {
    const rendered = renderRecording(aView(), { now: NOW, candidate: true, path: PATH });

    expect(rendered.text).toContain("new · recorded 3 days ago");
    expect(linksOf(rendered)).toEqual([[PATH, { kind: "file", path: PATH }]]);
  });

  it("covers everything below the header with sections, without gaps", () => {
    const rendered = renderRecording(aView(), { now: NOW });

    const lines = rendered.text.trimEnd().split("\n").length;
    expect(rendered.sections.map(({ title }) => title)).toEqual([
      "system",
      "user",
      "assistant",
      "parameters",
    ]);
    expect(rendered.sections.map(({ line }) => line).slice(1)).toEqual(
      rendered.sections.map(({ endLine }) => endLine + 1).slice(0, -1),
    );
    expect(rendered.sections.at(-1)?.endLine).toBe(lines - 1);
  });

  it("shows a tool call as a call, on one line and with its digits", () => {
    const view = reply({
      type: "tool-call",
      id: "c1",
      name: "pay",
      arguments: '{\n  "to": "Ann  B.",\n  "cents": 9007199254740993\n}',
    });

    const rendered = renderRecording(view, { now: NOW });

    expect(linesOf(rendered, "assistant")[1]).toBe('pay({"to":"Ann  B.","cents":9007199254740993})');
  });

  it("puts a result of several lines on separate lines, and marks one of an unknown call with an arrow", () => {
    const view = request(
      { role: "assistant", parts: [{ type: "tool-call", id: "c1", name: "ls", arguments: "{}" }] },
      {
        role: "tool",
        parts: [
          { type: "tool-result", id: "c1", text: "a.txt\nb.txt" },
          { type: "tool-result", id: "c9", text: "lost" },
        ],
      },
    );

    const rendered = renderRecording(view, { now: NOW });

    expect(linesOf(rendered, "tool").slice(1)).toEqual(["ls({})", "→ a.txt", "b.txt", "→ lost"]);
  });

  it("links a picture without spelling its bytes out", () => {
    const url = `data:image/png;base64,${"A".repeat(5000)}`;
    const view = request({
      role: "user",
      parts: [
        { type: "media", media: "image", description: "image/png, 4 KB", url },
        { type: "media", media: "audio", description: "wav" },
      ],
    });

    const rendered = renderRecording(view, { now: NOW });

    expect(linesOf(rendered, "user").slice(1)).toEqual(["[image: image/png, 4 KB]", "[audio: wav]"]);
    expect(linksOf(rendered)).toEqual([["[image: image/png, 4 KB]", { kind: "url", url }]]);
  });

  it("makes a link of web addresses and data only", () => {
    const view = request({
      role: "user",
      parts: [{ type: "media", media: "file", description: "notes", url: "command:workbench.action.quit" }],
    });

    expect(renderRecording(view, { now: NOW }).links).toEqual([]);
  });

  it("shows cached and thinking tokens, one event, and a status other than 200", () => {
    const view = aView({
      recording: { reply: { status: 429, body: new Uint8Array() } },
      projection: {
        messages: [],
        events: 1,
        usage: { inputTokens: 100, cachedInputTokens: 80, outputTokens: 9, reasoningTokens: 4 },
      },
    });

    const rendered = renderRecording(view, { now: NOW });

    expect(linesOf(rendered, "reply")).toEqual([
      "── reply ─── status 429 · stream, 1 event · 100 in (80 cached), 9 out (4 thinking)",
      "(empty)",
    ]);
  });

  it("breaks long settings over lines", () => {
    const settings = [
      ["temperature", "0.2"],
      ["tools", "t".repeat(99)],
      ["seed", "7"],
    ] as const;

    const rendered = renderRecording(aView({ conversation: { messages: [], settings } }), { now: NOW });

    expect(linesOf(rendered, "parameters").slice(1)).toEqual([
      "temperature 0.2",
      `tools ${"t".repeat(99)}`,
      "seed 7",
    ]);
  });

  it("lets no reply steer the reader's terminal or break the lines", () => {
    const rendered = renderRecording(
      reply(
        { type: "text", text: "one\r\ntwo\rthree\u001b[2J\u0007\u009b31m\ttab" },
        { type: "other", description: "x\ny", text: "" },
      ),
      { now: NOW },
    );

    expect(linesOf(rendered, "assistant").slice(1)).toEqual([
      "one",
      "two",
      "three␛[2J␇\\u{9b}31m\ttab",
      "[x⏎y]",
    ]);
  });
});
