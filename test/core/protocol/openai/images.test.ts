import { describe, expect, it } from "vitest";
import { openaiDialect } from "../../../../src/core/protocol/dialects.ts";
import { images } from "../../../../src/core/protocol/table/pictures.ts";
import type { ConversationMessage } from "../../../../src/core/protocol/base/protocol.ts";
import { operationContract } from "../../../contract/operation-contract.ts";
import { openaiCall } from "../../../support/openai-client.ts";
import { casesOf, fails, text } from "../../../support/protocol-case.ts";
import { aRequest, trafficFixture } from "../../../support/traffic-fixture.ts";

const path = "/v1/images/generations";
const editPath = "/v1/images/edits";
const [generations, edits, variations] = images as [
  (typeof images)[number],
  (typeof images)[number],
  (typeof images)[number],
];
const aCase = casesOf("openai-images", { provider: "openai", path });
const anEdit = casesOf("openai-images", { provider: "openai", path: editPath });
const usage = { inputTokens: 9, outputTokens: 272 };

function picture(name: string, event: number | undefined, description: string): ConversationMessage {
  const { reply } = trafficFixture("openai-images", name, { provider: "openai", path });
  const body = Buffer.from(reply.body).toString();
  const found = [...body.matchAll(/"b64_json":\s*"([^"]+)"/g)].map(([, base64]) => base64);
  const url = `data:image/png;base64,${found.at(event ?? 0)}`;
  return { role: "assistant", parts: [{ type: "media", media: "image", description, url }] };
}

operationContract("OpenAI pictures", {
  protocol: generations,
  dialect: openaiDialect,
  path,
  sdk: openaiCall((client) => client.images.generate({ model: "gpt-image-1", prompt: "A red cassette" })),
  faults: [
    ["the body is empty", ""],
    ['"prompt" is missing', { model: "gpt-image-1" }],
    ["neither a multipart form nor a JSON object", "[]"],
  ],
  cases: [
    aCase("generation", { messages: [picture("generation", 0, "207 bytes, png")], usage }),
    aCase("url", {
      messages: [
        {
          role: "assistant",
          parts: [
            text("A bright red cassette"),
            { type: "media", media: "image", description: "image", url: "https://images.example/1.png" },
          ],
        },
      ],
    }),
    aCase("stream", {
      messages: [picture("stream", 2, "207 bytes, png")],
      usage,
      events: 3,
    }),
    aCase("two", {
      messages: [picture("two", 1, "207 bytes, png"), picture("two", 3, "207 bytes, png")],
      usage,
      events: 4,
    }),
    aCase("cut", { messages: [picture("cut", 0, "68 bytes, png, not finished")], events: 1 }, "cut"),
    aCase(
      "error-in-stream",
      {
        messages: [
          picture("error-in-stream", 0, "68 bytes, png, not finished"),
          fails("image_generation_server_error: Rejected by the safety system."),
        ],
        events: 2,
      },
      "failed",
    ),
  ],
});

operationContract("OpenAI edits of pictures", {
  protocol: edits,
  dialect: openaiDialect,
  path: editPath,
  sdk: openaiCall((client) =>
    client.images.edit({
      model: "gpt-image-1",
      prompt: "Make it blue",
      image: new File(["png"], "red.png", { type: "image/png" }),
    }),
  ),
  faults: [["the body is empty", ""]],
  cases: [anEdit("edit", { messages: [picture("edit", 0, "68 bytes, png")], usage })],
});

describe("a request for pictures", () => {
  it("shows the pictures of its form, and what else was asked", () => {
    const { request } = trafficFixture("openai-images", "edit", { provider: "openai", path: editPath });

    expect(edits.facts(request)).toEqual({ model: "gpt-image-1", streaming: false, label: "Make it blue" });
    const { messages, settings } = edits.conversation(request);
    expect(messages[0]?.parts).toEqual([
      text("Make it blue"),
      expect.objectContaining({ media: "image", description: "red.png, image/png, 68 bytes" }),
    ]);
    expect(settings).toEqual([["size", "1024x1024"]]);
  });

  it("is refused where its form is none, and by name where a part is missing", () => {
    const form = (parts: string, contentType = "multipart/form-data; boundary=x") =>
      aRequest({ path: editPath, body: Buffer.from(parts), contentType });
    const prompt = '--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\nBlue\r\n--x--\r\n';

    expect(() => variations.facts(form(prompt))).toThrow('"image" is missing');
    expect(() => edits.facts(form("no parts"))).toThrow("its boundary does not occur in it");
    expect(() => edits.facts(form("text", "text/csv"))).toThrow("neither a multipart form nor a JSON object");
    expect(variations.stream).toBeUndefined();
  });

  it("without a size that can be told shows the rest", () => {
    const body = Buffer.from('{"data":[{"b64_json":"AAAA"},{"b64_json":""},{}],"output_format":"webp"}');

    const { messages } = generations.project({ status: 200, contentType: "application/json", body });

    expect(messages.map(({ parts }) => parts[0])).toEqual([
      { type: "media", media: "image", description: "3 bytes, webp", url: "data:image/webp;base64,AAAA" },
      { type: "other", description: "unreadable picture", text: '{"b64_json":""}' },
      { type: "other", description: "unreadable picture", text: "{}" },
    ]);
  });
});
