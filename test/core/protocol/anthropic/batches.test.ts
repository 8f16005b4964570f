import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../../../../src/core/protocol/dialects.ts";
import type { Projection, Protocol } from "../../../../src/core/protocol/base/protocol.ts";
import { operationContract } from "../../../contract/operation-contract.ts";
import type { ProtocolCase, SdkCall } from "../../../contract/protocol-contract.ts";
import { casesOf, text } from "../../../support/protocol-case.ts";
import { trafficFixture } from "../../../support/traffic-fixture.ts";

const aCase = (name: string, path: string, messages: Projection["messages"]): ProtocolCase =>
  casesOf("anthropic-batches", { provider: "anthropic", path })(name, { messages });
const protocolNamed = (name: string): Protocol => {
  const found = anthropicDialect.operations.find(({ operation }) => operation === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
};
const anthropicCall = (ask: (client: Anthropic) => Promise<unknown>): SdkCall => ({
  call: (fetch) => ask(new Anthropic({ apiKey: "none", baseURL: "http://127.0.0.1:9", fetch })),
  codeOf: (error) => (error instanceof APIError ? error.type : undefined),
  statusOf: (error) => (error instanceof APIError ? (error.status as unknown) : undefined),
});

const model = "claude-sonnet-4-6";
const messages = [{ role: "user" as const, content: "Hi" }];
const STATE =
  "msgbatch_1 · processing_status in_progress · request_counts: processing 2, succeeded 0, errored 0, canceled 0, expired 0";
const resultsPath = "/v1/messages/batches/msgbatch_1/results";

operationContract("Anthropic messages.count_tokens", {
  protocol: protocolNamed("messages.count_tokens"),
  dialect: anthropicDialect,
  path: "/v1/messages/count_tokens",
  sdk: anthropicCall((client) => client.messages.countTokens({ model, messages })),
  faults: [
    ["the body is empty", ""],
    ['"messages" is missing', { model }],
  ],
  cases: [
    aCase("count", "/v1/messages/count_tokens?beta=true", [{ role: "reply", parts: [text("21 tokens")] }]),
  ],
});

operationContract("Anthropic messages.batches.create", {
  protocol: protocolNamed("messages.batches.create"),
  dialect: anthropicDialect,
  path: "/v1/messages/batches",
  sdk: anthropicCall((client) =>
    client.messages.batches.create({
      requests: [{ custom_id: "a", params: { model, max_tokens: 64, messages } }],
    }),
  ),
  faults: [],
  cases: [
    aCase("batch", "/v1/messages/batches", [
      {
        role: "reply",
        parts: [text(`${STATE} · created_at 2026-01-02T03:04:05Z · expires_at 2026-01-03T03:04:05Z`)],
      },
    ]),
  ],
});

describe("a batch of messages", () => {
  const { reply } = trafficFixture("anthropic-batches", "results", {
    provider: "anthropic",
    path: resultsPath,
  });
  const results = protocolNamed("messages.batches.results");

  it("is shown with the messages of each of its requests", () => {
    const create = protocolNamed("messages.batches.create");
    const { request } = trafficFixture("anthropic-batches", "batch", {
      provider: "anthropic",
      path: "/v1/messages/batches",
    });

    expect(create.facts(request).label).toBe("batch of 2 messages");
    expect(create.conversation(request).messages).toEqual([
      { role: "user", parts: [text("Hi"), text("Hello")] },
    ]);
  });

  it.each(["application/x-jsonl", "application/octet-stream", undefined])(
    "has results that are read line by line, with the content type %s",
    (contentType) => {
      const { status, body } = reply;

      expect(results.project({ status, body, ...(contentType !== undefined && { contentType }) })).toEqual({
        messages: [
          { role: "a", parts: [text("Hi!")] },
          {
            role: "b",
            parts: [
              {
                type: "other",
                description: "errored",
                text: '{"type":"invalid_request_error","message":"max_tokens: too large"}',
              },
            ],
          },
          { role: "c", parts: [{ type: "other", description: "expired", text: "expired" }] },
        ],
      });
    },
  );

  it("has results that are whole until a line is cut", () => {
    expect(results.isWhole(reply.body)).toBe(true);
    expect(results.isWhole(reply.body.subarray(0, -4))).toBe(false);
    expect(results.isWhole(Buffer.from('{"type":"error","error":{"message":"no"}}'))).toBe(false);
  });

  it("has results that a draft can be written as, which the official SDK reads", async () => {
    const request = {
      provider: "anthropic",
      method: "GET",
      path: resultsPath,
      body: { kind: "empty" },
    } as const;
    const composed = results.compose({ text: "By hand" }, request);
    const state = {
      id: "msgbatch_1",
      results_url: `http://127.0.0.1:9${resultsPath}`,
      processing_status: "ended",
    };
    const client = new Anthropic({
      apiKey: "none",
      baseURL: "http://127.0.0.1:9",
      fetch: (input) =>
        Promise.resolve(
          String(input).endsWith("/results")
            ? new Response(Buffer.from(composed.body), { headers: { "content-type": composed.contentType } })
            : Response.json(state),
        ),
    });

    const lines: unknown[] = [];
    for await (const line of await client.messages.batches.results("msgbatch_1")) lines.push(line);

    expect(lines).toMatchObject([
      { custom_id: "tapedeck", result: { message: { content: [{ type: "text", text: "By hand" }] } } },
    ]);
  });

  it.each([
    ["GET", "/v1/messages/batches", "messages.batches.list"],
    ["GET", "/v1/messages/batches/msgbatch_1", "messages.batches.retrieve"],
    ["POST", "/v1/messages/batches/msgbatch_1/cancel", "messages.batches.cancel"],
    ["DELETE", "/v1/messages/batches/msgbatch_1", "messages.batches.delete"],
    ["GET", resultsPath, "messages.batches.results"],
    ["GET", "/v1/models/claude-sonnet-4-6", "models.retrieve"],
    ["GET", "/v1/files/file_1/content", "files.content"],
  ])("%s %s is %s", (method, pathname, expected) => {
    expect(anthropicDialect.operations.find((one) => one.accepts(method, pathname))?.operation).toBe(
      expected,
    );
  });
});
