import { describe, expect, it } from "vitest";
import { anthropicCountTokens } from "../../../src/core/protocol/anthropic/protocol.ts";
import { bedrockCountTokens } from "../../../src/core/protocol/bedrock/invoke-protocol.ts";
import { geminiCountTokens } from "../../../src/core/protocol/gemini/protocol.ts";
import type { Protocol } from "../../../src/core/protocol/base/protocol.ts";
import { detokenize, moderations, ocr, rerank, tokenize } from "../../../src/core/protocol/table/judged.ts";
import {
  cohereEmbed,
  geminiBatchEmbed,
  geminiEmbed,
  ollamaEmbed,
  ollamaEmbeddings,
  openaiEmbeddings,
} from "../../../src/core/protocol/table/vectors.ts";
import { bytesOf } from "../../../src/core/base/wire/text.ts";

const neverStreamed: readonly (readonly [string, Protocol])[] = Object.entries({
  anthropicCountTokens,
  bedrockCountTokens,
  detokenize,
  cohereEmbed,
  tokenize,
  geminiBatchEmbed,
  geminiCountTokens,
  geminiEmbed,
  ocr,
  ollamaEmbed,
  ollamaEmbeddings,
  openaiEmbeddings,
  moderations,
  rerank,
});

describe.each(neverStreamed)("%s, of a reply that is none of its own", (_, protocol) => {
  it.each([
    ["another object", "application/json", '{"hello": [1]}', '{"hello":[1]}'],
    ["no object", "application/json", "[1, 2]", "[1,2]"],
    ["no JSON", "text/html", "<h1>Bad Gateway</h1>", "<h1>Bad Gateway</h1>"],
    ["a stream", "text/event-stream", 'data: {"hello": 1}\n\n', "a stream"],
  ])("shows %s as what cannot be read", (_kind, contentType, body, shown) => {
    const { messages } = protocol.project({ status: 200, contentType, body: bytesOf(body) });

    expect(messages).toEqual([
      { role: "reply", parts: [{ type: "other", description: "unreadable reply", text: shown }] },
    ]);
  });
});
