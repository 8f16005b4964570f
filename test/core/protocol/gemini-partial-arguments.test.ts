import { describe, expect, test } from "vitest";
import { geminiStreamGenerate } from "../../../src/core/protocol/gemini/protocol.ts";
import type { Projection } from "../../../src/core/protocol/base/protocol.ts";
import { PARTIAL_CALLS } from "../../support/corpus/gemini.ts";
import { loadRecordedTraffic, REAL_DATA } from "../../support/recorded-traffic.ts";

const apple = { action: "add", description: "Fresh red apple", itemid: "apple_001", price: 0.5 };
const banana = { action: "add", description: "Ripe yellow banana", itemid: "banana_001", price: 0.3 };

/** The calls that each stream of real traffic makes, read by hand. */
const REAL: typeof PARTIAL_CALLS = {
  "google-stream-tool-call-arguments": [
    ["getWeather", { location: "Boston" }],
    ["getWeather", { location: "San Francisco" }],
  ],
  "google-stream-no-args-tool-call": [
    ["read_theme", {}],
    ["read_screen", { id: "A" }],
    ["read_screen", { id: "B" }],
    ["read_screen", { id: "C" }],
  ],
  "google-stream-tool-call-array-arguments-missing-terminal-function-call": [
    ["writeItems", { operations: [apple, banana] }],
  ],
};

const recorded = REAL_DATA === undefined ? PARTIAL_CALLS : REAL;
const traffic = loadRecordedTraffic(({ provider }) => provider === "gemini");

describe("recorded arguments that Gemini streams", () => {
  test.each(Object.entries(recorded))("are the calls that %s makes, to the last value", (file, calls) => {
    const exchange = traffic.exchanges.find(({ source }) => `${source}.`.includes(`${file}.`));

    expect(callsOf(geminiStreamGenerate.project(exchange!.reply))).toEqual(calls);
  });
});

const text = (jsonPath: string, stringValue: string): object => ({ jsonPath, stringValue });

test.each<[what: string, pieces: readonly object[], args: unknown]>([
  ["a text in three pieces", [text("$.a", "x"), text("$.a", "y"), text("$.a", "z")], { a: "xyz" }],
  [
    "numbers, truths and nothing",
    [
      { jsonPath: "$.n", numberValue: 0 },
      { jsonPath: "$.b", boolValue: false },
      { jsonPath: "$.z", nullValue: "NULL_VALUE" },
    ],
    { n: 0, b: false, z: null },
  ],
  [
    "lists in lists, the later place first",
    [text("$.a[1][0]", "q"), text("$.a[0]", "p")],
    { a: ["p", ["q"]] },
  ],
  [
    "names in quotes, also such as every object has",
    [text("$['a b'].c", "1"), text('$["__proto__"]', "2")],
    JSON.parse('{"a b":{"c":"1"},"__proto__":"2"}'),
  ],
  [
    "two texts that take turns",
    [text("$.a", "1"), text("$.b", "x"), text("$.a", "2"), text("$.b", "y")],
    { a: "12", b: "xy" },
  ],
])("arguments that arrive value by value: %s", (_, pieces, args) => {
  const chunks = [
    { name: "f", willContinue: true },
    ...pieces.map((piece) => ({ partialArgs: [piece], willContinue: true })),
    {},
  ];

  expect(callsOf(streamOf(chunks))).toEqual([["f", args]]);
});

/** The arguments of a call that arrive at once. */
const argumentsOf = (...partialArgs: readonly object[]): unknown =>
  callsOf(streamOf([{ name: "f", partialArgs }]))[0]?.[1];

test("a list grows by a thousand places beyond its end, and no further", () => {
  expect(argumentsOf(text("$.a[1000]", "x"))).toMatchObject({ a: { length: 1001 } });
  expect(argumentsOf(text("$.a[1001]", "x"))).toEqual({ a: [] });
});

test("a place is looked for a hundred steps deep, and no deeper", () => {
  expect(JSON.stringify(argumentsOf(text(`$${".a".repeat(100)}`, "x")))).toContain('"x"');
  expect(argumentsOf(text(`$${".a".repeat(101)}`, "x"))).toEqual({});
});

/** A stream with a chunk for each of these pieces of a call. */
function streamOf(pieces: readonly object[]): Projection {
  const frames = pieces.map((functionCall, at) => {
    const content = { role: "model", parts: [{ functionCall }] };
    const isLast = at === pieces.length - 1;
    return `data: ${JSON.stringify({ candidates: [{ content, ...(isLast && { finishReason: "STOP" }) }] })}\n\n`;
  });
  const body = new TextEncoder().encode(frames.join(""));
  return geminiStreamGenerate.project({ status: 200, contentType: "text/event-stream", body });
}

function callsOf({ messages }: Projection): readonly (readonly [name: string, args: unknown])[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === "tool-call" ? [[part.name, JSON.parse(part.arguments)] as const] : [],
    ),
  );
}
