import { describe, expect, it } from "vitest";
import {
  bedrockConverse,
  bedrockConverseStream,
} from "../../../../src/core/protocol/bedrock/converse-protocol.ts";
import { bedrockDialect } from "../../../../src/core/protocol/dialects.ts";
import {
  bedrockCountTokens,
  bedrockInvoke,
  bedrockInvokeStream,
} from "../../../../src/core/protocol/bedrock/invoke-protocol.ts";
import type { ConversationPart, Projection, Protocol } from "../../../../src/core/protocol/base/protocol.ts";
import { tapedeckError } from "../../../../src/core/base/errors.ts";
import {
  endOf,
  projections,
  readingAnything,
  refusingRequests,
  streaming,
  type ProtocolCase,
} from "../../../contract/protocol-contract.ts";
import { aRequest, trafficFixture } from "../../../support/traffic-fixture.ts";

const at = (operation: string): string => `/model/us.amazon.nova-micro-v1%3A0/${operation}`;
const model = "us.amazon.nova-micro-v1:0";
const says = (...parts: ConversationPart[]): Projection["messages"] => [{ role: "assistant", parts }];
const text = (value: string): ConversationPart => ({ type: "text", text: value });
const weather: ConversationPart = {
  type: "tool-call",
  id: "t1",
  name: "get_weather",
  arguments: '{"city":"Oslo"}',
};
const reply = (value: string): Projection["messages"] => [{ role: "reply", parts: [text(value)] }];

function aCase(
  { operation }: Protocol,
  name: string,
  projection: Projection,
  ends: ProtocolCase["ends"] = "whole",
): ProtocolCase {
  return {
    fixture: trafficFixture("bedrock", name, { provider: "bedrock", path: at(operation) }),
    ends,
    projection,
  };
}

describe("Bedrock converse", () => {
  const cases = [
    aCase(bedrockConverse, "converse", {
      messages: says({ type: "thinking", text: "Which city?" }, text("Let me see."), weather),
      usage: { inputTokens: 37, outputTokens: 9, cachedInputTokens: 16 },
      finishReason: "tool_use",
    }),
  ];
  projections({ protocol: bedrockConverse, cases });
  readingAnything({ protocol: bedrockConverse });
  refusingRequests({
    protocol: bedrockConverse,
    path: at("converse"),
    faults: [
      ["the body is empty", ""],
      ['"messages" is missing', {}],
      ['"messages" is not a list', { messages: "hi" }],
    ],
  });

  it("is asked with a model in the path, settings and tools", () => {
    const { request } = cases[0]!.fixture;

    expect(bedrockConverse.facts(request)).toEqual({ model, streaming: false, label: "Say hi" });
    expect(bedrockConverse.conversation(request)).toEqual({
      messages: [
        { role: "system", parts: [text("You are terse.")] },
        { role: "user", parts: [text("Say hi")] },
      ],
      settings: [
        ["maxTokens", "64"],
        ["temperature", "0.2"],
        ["tools", "get_weather(city, unit?)"],
        ["toolChoice", "auto (nothing)"],
      ],
    });
  });

  it("reads results, media and thoughts of a conversation", () => {
    const content = [
      { toolResult: { toolUseId: "t1", status: "error", content: [{ json: { a: 1 } }, { text: "no" }] } },
      { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
      { document: { format: "pdf", name: "a", source: { s3Location: { uri: "s3://b/a.pdf" } } } },
      { reasoningContent: { redactedContent: "eA==" } },
      { scent: "rose" },
    ];
    const messages = [{ role: "user", content }];

    expect(
      bedrockConverse.conversation(aRequest({ path: at("converse"), body: { messages } })).messages[0]?.parts,
    ).toEqual([
      { type: "tool-result", id: "t1", text: 'error: {"a":1}\nno' },
      {
        type: "media",
        media: "image",
        description: expect.stringContaining("image/png") as string,
        url: "data:image/png;base64,iVBORw0KGgo=",
      },
      { type: "media", media: "file", description: "a, s3://b/a.pdf" },
      { type: "other", description: "redacted thinking", text: "" },
      { type: "other", description: "scent", text: '{"scent":"rose"}' },
    ]);
  });
});

describe("Bedrock converse-stream", () => {
  const cases = [
    aCase(bedrockConverseStream, "stream", {
      messages: says({ type: "thinking", text: "Two words." }, text("Grüß dich 👋")),
      usage: { inputTokens: 12, outputTokens: 4 },
      finishReason: "end_turn",
      events: 10,
    }),
    aCase(bedrockConverseStream, "stream-tools", {
      messages: says(weather),
      usage: { inputTokens: 12, outputTokens: 9 },
      finishReason: "tool_use",
      events: 7,
    }),
    aCase(
      bedrockConverseStream,
      "stream-exception",
      {
        messages: [
          ...says(text("H")),
          { role: "error", parts: [text("throttlingException: Too many tokens, please wait.")] },
        ],
        events: 3,
      },
      "failed",
    ),
    aCase(
      bedrockConverseStream,
      "stream-broken",
      {
        messages: [
          ...says(),
          { role: "error", parts: [text("broken message: its checksum does not match")] },
        ],
        usage: { inputTokens: 1, outputTokens: 1 },
        finishReason: "end_turn",
        events: 5,
      },
      "failed",
    ),
    aCase(bedrockConverseStream, "stream-cut", { messages: says(text("Hi")), events: 3 }, "cut"),
  ];
  projections({ protocol: bedrockConverseStream, cases });
  streaming({ protocol: bedrockConverseStream, cases });
  readingAnything({ protocol: bedrockConverseStream });
});

const invoke = { messages: says(text("Hi!")), finishReason: "end_turn", model: "claude-3-5-haiku" };

describe("Bedrock invoke", () => {
  const cases = [
    aCase(bedrockInvoke, "invoke", { ...invoke, usage: { inputTokens: 10, outputTokens: 4 } }),
    aCase(bedrockInvoke, "invoke-llama", {
      messages: says(text("Hi!")),
      usage: { inputTokens: 3, outputTokens: 2 },
      finishReason: "stop",
    }),
    aCase(bedrockInvoke, "invoke-embed", {
      messages: reply("1 embedding, 3 numbers"),
      usage: { inputTokens: 1 },
    }),
  ];
  projections({ protocol: bedrockInvoke, cases });
  readingAnything({ protocol: bedrockInvoke });

  it("is named by what each family asks", () => {
    const labels = cases.map(({ fixture }) => bedrockInvoke.facts(fixture.request).label);

    expect(labels).toEqual(["Say hi", "Say hi", "1 text to embed"]);
  });
});

describe("Bedrock invoke-with-response-stream", () => {
  const cases = [
    aCase(bedrockInvokeStream, "invoke-stream", {
      messages: says(text("Grüß dich")),
      usage: { inputTokens: 10, outputTokens: 4 },
      finishReason: "end_turn",
      model: "claude-3-5-haiku",
      events: 7,
    }),
    aCase(bedrockInvokeStream, "invoke-titan", {
      messages: says(text("Hi you")),
      usage: { inputTokens: 10, outputTokens: 4 },
      finishReason: "FINISH",
      events: 2,
    }),
    aCase(bedrockInvokeStream, "invoke-titan-guardrail", {
      messages: says(text("HiSorry, no more.")),
      usage: { inputTokens: 3 },
      finishReason: "CONTENT_FILTERED",
      events: 2,
    }),
    aCase(
      bedrockInvokeStream,
      "invoke-stream-cut",
      {
        messages: says(text("Grüß dich")),
        usage: { inputTokens: 10, outputTokens: 1 },
        model: "claude-3-5-haiku",
        events: 4,
      },
      "cut",
    ),
  ];
  // What came before the cut is read.
  cases[3] = {
    ...cases[3]!,
    projection: { ...cases[3]!.projection, messages: says(text("Grüß dich")) },
  };
  projections({ protocol: bedrockInvokeStream, cases });
  streaming({ protocol: bedrockInvokeStream, cases });
  readingAnything({ protocol: bedrockInvokeStream });
});

describe("Bedrock count-tokens", () => {
  const cases = [aCase(bedrockCountTokens, "count", { messages: reply("9 tokens") })];
  projections({ protocol: bedrockCountTokens, cases });

  it("is named by what is counted, also inside the body of an invoke", () => {
    const inner = {
      anthropic_version: "bedrock-2023-05-31",
      messages: [{ role: "user", content: "Count me" }],
    };
    const body = { input: { invokeModel: { body: Buffer.from(JSON.stringify(inner)).toString("base64") } } };

    expect(bedrockCountTokens.facts(cases[0]!.fixture.request).label).toBe("tokens of Say hi");
    expect(bedrockCountTokens.facts(aRequest({ path: at("count-tokens"), body })).label).toBe(
      "tokens of Count me",
    );
  });
});

describe("a reply of Bedrock made from a draft", () => {
  const messages = [{ role: "user", content: [{ text: "Hi" }] }];
  const anthropic = { anthropic_version: "bedrock-2023-05-31", messages, max_tokens: 9 };
  const bodies = [
    [bedrockConverse, { messages }],
    [bedrockConverseStream, { messages }],
    [bedrockInvoke, anthropic],
    [bedrockInvoke, { messages, schemaVersion: "messages-v1" }],
    [bedrockInvoke, { inputText: "Hi" }],
    [bedrockInvoke, { prompt: "Hi", max_gen_len: 9 }],
    [bedrockInvoke, { prompt: "Hi" }],
    [bedrockInvokeStream, anthropic],
    [bedrockInvokeStream, { messages, schemaVersion: "messages-v1" }],
    [bedrockInvokeStream, { prompt: "Hi", max_gen_len: 9 }],
  ] as const;

  it.each(bodies)("is whole and says it, whatever the model's family is (%#)", (protocol, body) => {
    const draft = "One line\nand “another” 👋.\n";

    const composed = protocol.compose({ text: draft }, aRequest({ path: at(protocol.operation), body }));

    const { messages: said } = protocol.project({ status: 200, ...composed });
    const parts = said.flatMap((message) => message.parts);
    expect(parts.map((part) => ("text" in part ? part.text : "")).join("")).toBe(draft);
    expect(
      protocol.stream
        ? endOf(protocol, composed.body, composed.contentType)
        : protocol.isWhole(composed.body),
    ).toBe(protocol.stream ? "whole" : true);
  });
});

it("a failure of ours has the shape that the AWS clients read, under a status that they do not try again", () => {
  const unreachable = tapedeckError("tapedeck_upstream", "Not reached.", { hint: "Try again." });

  const { status, body } = bedrockDialect.refuse(unreachable);

  expect(status).toBe(424);
  expect(JSON.parse(Buffer.from(body as Uint8Array).toString())).toEqual({
    __type: "tapedeck_upstream",
    message: "Not reached. Try again.",
  });
});
