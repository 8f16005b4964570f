import { expect, test } from "vitest";
import { cohereChatV1 } from "../../../src/core/protocol/cohere/chat-v1.ts";
import { dashscopeGenerations } from "../../../src/core/protocol/dashscope/protocol.ts";
import { mistralConversations } from "../../../src/core/protocol/mistral/conversations-protocol.ts";
import { aRequest } from "../../support/traffic-fixture.ts";

const INPUT = { messages: [{ role: "user", content: "hi" }] };

test.each([
  ["Cohere's first chat", [cohereChatV1], "/v1/chat", { model: "m", message: "hi" }, /"MAX_TOKENS"/],
  ["Mistral's conversations", [mistralConversations], "/v1/conversations", { model: "m", inputs: "hi" }, /./],
  [
    "DashScope",
    dashscopeGenerations,
    "/api/v1/services/aigc/text-generation/generation",
    { model: "m", input: INPUT },
    /"length"/,
  ],
] as const)(
  "a reply of %s says what its draft has of usage and why it ends",
  (...[, protocols, path, body, ends]) => {
    const usage = { inputTokens: 12, outputTokens: 3 };

    const told = protocols.flatMap((protocol) =>
      [false, true].map((stream) => {
        const request = aRequest({ path, body: { ...body, stream } });
        return protocol.compose({ text: "a", usage, finish: "length" }, request);
      }),
    );

    for (const composed of told) {
      const [read] = protocols.map((protocol) => protocol.project({ status: 200, ...composed }));
      expect(read?.usage).toMatchObject(usage);
      expect(new TextDecoder().decode(composed.body)).toMatch(ends);
    }
  },
);
