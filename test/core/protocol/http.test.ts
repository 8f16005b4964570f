import { describe, expect, it } from "vitest";
import { httpProtocol } from "../../../src/core/protocol/base/http.ts";
import { aRequest } from "../../support/traffic-fixture.ts";

const reply = (
  body: string | Uint8Array,
  contentType?: string,
  status = 200,
): Parameters<typeof httpProtocol.project>[0] => ({
  status,
  body: Buffer.from(body),
  ...(contentType !== undefined && { contentType }),
});

describe("plain HTTP", () => {
  it("accepts any request and describes it", () => {
    const body = '{"model":"text-embedding-3-small","input":["a","b"],"seed":9007199254740993}';
    const request = aRequest({ path: "/v1/embeddings?trace=on", body });

    expect(httpProtocol.facts(request)).toEqual({
      model: "text-embedding-3-small",
      streaming: false,
      label: "POST /v1/embeddings",
    });
    expect(httpProtocol.conversation(request).settings).toEqual([["trace", "on"]]);
    expect(httpProtocol.conversation(request).messages[0]?.parts[0]).toMatchObject({
      description: "JSON",
      text: expect.stringContaining('"seed": 9007199254740993') as unknown,
    });
  });

  it("takes a request without a body, and one that is no JSON object", () => {
    const get = { provider: "own", method: "GET", path: "/v1/models", body: { kind: "empty" } } as const;

    expect(httpProtocol.facts(get)).toEqual({ streaming: false, label: "GET /v1/models" });
    expect(httpProtocol.conversation(get)).toEqual({ messages: [], settings: [] });
    expect(httpProtocol.facts(aRequest({ path: "/x", body: "[1]" }))).toEqual({
      streaming: false,
      label: "POST /x",
    });
  });

  it.each([
    ["JSON", reply('{"a":[1]}', "application/json"), "other", '{\n  "a": [\n    1\n  ]\n}'],
    ["text", reply("hello", "text/plain"), "text", "hello"],
    ["broken JSON", reply('{"a":', "application/json"), "text", '{"a":'],
  ])("shows a reply of %s", (_kind, given, type, text) => {
    expect(httpProtocol.project(given).messages).toEqual([
      { role: "reply", parts: [expect.objectContaining({ type, text }) as unknown] },
    ]);
  });

  it("shows a picture by its type and size, a stream by its events and an error as one", () => {
    expect(httpProtocol.project(reply(new Uint8Array(3), "image/png")).messages[0]?.parts).toEqual([
      { type: "media", media: "image", description: "image/png, 3 bytes" },
    ]);
    expect(httpProtocol.project(reply("data: 1\n\ndata: 2\n\n", "text/event-stream"))).toMatchObject({
      events: 2,
      messages: [{ role: "reply", parts: [{ text: "1" }, { text: "2" }] }],
    });
    expect(httpProtocol.project(reply("no", "text/plain", 500)).messages[0]?.role).toBe("error");
  });

  it("makes a reply from a draft: JSON to a JSON request when the text is JSON, else text", () => {
    const request = aRequest({ path: "/x", body: "{}" });
    const composed = (text: string): string[] => {
      const { contentType, body } = httpProtocol.compose({ text }, request);
      return [contentType, Buffer.from(body).toString()];
    };

    expect(composed('{"ok": true}')).toEqual(["application/json", '{"ok": true}']);
    expect(composed("hello")).toEqual(["text/plain; charset=utf-8", "hello"]);
  });
});
