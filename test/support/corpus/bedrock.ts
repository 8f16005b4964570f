import { BEDROCK_RESOURCES } from "../../../src/core/protocol/table/stored.ts";
import { fixtureMakers } from "./fixtures.ts";
import { inTurn, times, type GeneratedCall, type Makers, type Place } from "./place.ts";
import { rowMakers } from "./rows.ts";
import type { Voice } from "./voice.ts";
import { jsonReply, jsonRequest, messagesReply, PIXEL } from "./wire.ts";

/** A model's name as Bedrock takes it, which clients encode. */
const MODEL = encodeURIComponent("corpus.bard-1:0");

type Block = Readonly<Record<string, unknown>>;
type BodyMaker = (voice: Voice) => Record<string, unknown>;

const said = (role: string, ...content: readonly Block[]): object => ({ role, content });

const tools = (voice: Voice): object => ({
  tools: [
    {
      toolSpec: {
        name: "read_tide",
        description: voice.sentence(),
        inputSchema: { json: { type: "object", properties: { place: { type: "string" } } } },
      },
    },
  ],
});

const BODIES: readonly [BodyMaker, ...BodyMaker[]] = [
  (voice) => ({ system: [{ text: voice.sentence() }], messages: [said("user", { text: voice.text() })] }),
  (voice) => ({
    messages: [said("user", { text: voice.text() })],
    inferenceConfig: { maxTokens: 512, temperature: 0.5 },
    toolConfig: tools(voice),
  }),
  (voice) => {
    const toolUseId = voice.id("tooluse_");
    return {
      messages: [
        said("user", { text: voice.text() }),
        said("assistant", { toolUse: { toolUseId, name: "read_tide", input: voice.values() } }),
        said("user", {
          toolResult: { toolUseId, content: [{ text: voice.text() }, { json: voice.values() }] },
        }),
      ],
      toolConfig: tools(voice),
    };
  },
  (voice) => ({
    messages: [
      said(
        "user",
        { text: voice.text() },
        { image: { format: "png", source: { bytes: PIXEL } } },
        { cachePoint: { type: "default" } },
      ),
    ],
  }),
];

const ANSWERS: readonly [AnswerMaker, ...AnswerMaker[]] = [
  (voice) => [{ text: voice.text() }],
  (voice) => [
    { text: voice.text() },
    { toolUse: { toolUseId: voice.id("tooluse_"), name: "read_tide", input: voice.values() } },
  ],
  (voice) => [
    { reasoningContent: { reasoningText: { text: voice.text(), signature: voice.base64(60) } } },
    { text: voice.text() },
  ],
];

type AnswerMaker = (voice: Voice) => readonly Block[];

const stopReason = (content: readonly Block[]): string =>
  content.some((block) => "toolUse" in block) ? "tool_use" : "end_turn";

const usage = { inputTokens: 31, outputTokens: 12, totalTokens: 43, cacheReadInputTokens: 2 };

const pathOf = ({ base }: Place, method: string): string => `${base}/model/${MODEL}/${method}`;

function* eventsOf(voice: Voice, content: readonly Block[]): Generator<readonly [string, object]> {
  yield ["messageStart", { role: "assistant" }];
  for (const [contentBlockIndex, block] of content.entries()) {
    const delta = (one: object): readonly [string, object] => [
      "contentBlockDelta",
      { contentBlockIndex, delta: one },
    ];
    const { text, toolUse, reasoningContent } = block as Readonly<Record<string, Block | undefined>>;
    if (typeof text === "string") for (const piece of voice.pieces(text)) yield delta({ text: piece });
    if (toolUse !== undefined) {
      const { input, ...start } = toolUse;
      yield ["contentBlockStart", { contentBlockIndex, start: { toolUse: start } }];
      for (const piece of voice.pieces(JSON.stringify(input))) yield delta({ toolUse: { input: piece } });
    }
    if (reasoningContent !== undefined) {
      const thought = reasoningContent["reasoningText"] as Readonly<Record<string, string>>;
      for (const piece of voice.pieces(thought["text"] ?? ""))
        yield delta({ reasoningContent: { text: piece } });
      yield delta({ reasoningContent: { signature: thought["signature"] } });
    }
    yield ["contentBlockStop", { contentBlockIndex }];
  }
  yield ["messageStop", { stopReason: stopReason(content) }];
  yield ["metadata", { usage, metrics: { latencyMs: 12 } }];
}

/** Bedrock. Formats: docs.aws.amazon.com/bedrock/latest/APIReference. */
export const bedrockMakers: Makers = {
  ...rowMakers(BEDROCK_RESOURCES),
  ...fixtureMakers("bedrock", ""),
  converse: (place) =>
    times(place.most, (index): GeneratedCall => {
      const content = inTurn(ANSWERS, index)(place.voice);
      return {
        name: `whole-${index}`,
        request: jsonRequest(pathOf(place, "converse"), inTurn(BODIES, index)(place.voice)),
        reply: jsonReply(
          {
            output: { message: { role: "assistant", content } },
            stopReason: stopReason(content),
            usage,
            metrics: { latencyMs: 12 },
          },
          inTurn(["compact", "spaced"], index),
        ),
      };
    }),
  "converse-stream": (place) =>
    times(place.most, (index): GeneratedCall => {
      const content = inTurn(ANSWERS, index)(place.voice);
      return {
        name: `stream-${index}`,
        request: jsonRequest(pathOf(place, "converse-stream"), inTurn(BODIES, index)(place.voice)),
        reply: messagesReply([...eventsOf(place.voice, content)]),
      };
    }),
};
