import { expect, it } from "vitest";
import { openaiDialect } from "../../../../src/core/protocol/dialects.ts";
import { moderations } from "../../../../src/core/protocol/table/judged.ts";
import { operationContract } from "../../../contract/operation-contract.ts";
import { openaiCall } from "../../../support/openai-client.ts";
import { casesOf, text } from "../../../support/protocol-case.ts";
import { aRequest } from "../../../support/traffic-fixture.ts";

const path = "/v1/moderations";
const aCase = casesOf("openai-moderations", { provider: "openai", path });

operationContract("OpenAI moderations", {
  protocol: moderations,
  dialect: openaiDialect,
  path,
  sdk: openaiCall((client) => client.moderations.create({ input: "Hello" })),
  faults: [
    ["the body is empty", ""],
    ['"input" is missing', { model: "omni-moderation-latest" }],
  ],
  cases: [
    aCase("texts", {
      messages: [
        { role: "reply", parts: [text("not flagged")] },
        { role: "reply", parts: [text("flagged: harassment 0.97, violence 0.90")] },
      ],
      model: "omni-moderation-latest",
    }),
  ],
});

it("shows texts and pictures that are to be moderated", () => {
  const input = [
    { type: "text", text: "Hello" },
    { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    "plain",
  ];
  const request = aRequest({ path, body: { input } });

  expect(moderations.facts(request).label).toBe("3 inputs to moderate");
  expect(moderations.conversation(request).messages).toEqual([
    {
      role: "to moderate",
      parts: [
        text("Hello"),
        { type: "media", media: "image", description: "image", url: "https://example.com/a.png" },
        text("plain"),
      ],
    },
  ]);
});
