import { describe, expect, it } from "vitest";
import { openaiDialect } from "../../../../src/core/protocol/dialects.ts";
import type { Projection, Protocol } from "../../../../src/core/protocol/base/protocol.ts";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import { operationContract } from "../../../contract/operation-contract.ts";
import type { ProtocolCase } from "../../../contract/protocol-contract.ts";
import { openaiCall } from "../../../support/openai-client.ts";
import { casesOf, text } from "../../../support/protocol-case.ts";
import { aRequest, trafficFixture } from "../../../support/traffic-fixture.ts";

const aReply = (value: string): Projection["messages"] => [{ role: "reply", parts: [text(value)] }];
const aCase = (name: string, path: string, messages: Projection["messages"]): ProtocolCase =>
  casesOf("openai-resources", { provider: "openai", path })(name, { messages });
const protocolNamed = (name: string): Protocol => {
  const found = openaiDialect.operations.find(({ operation }) => operation === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
};

const FILE = "file-abc · bytes 120 · created_at 1 · filename calls.jsonl · purpose batch · status processed";
const BATCH = "endpoint /v1/chat/completions · input_file_id file-abc · completion_window 24h";
const COUNTS = "created_at 1 · request_counts: total 3, completed 1, failed 0";

const upload = new File(['{"custom_id":"a"}\n'], "calls.jsonl", { type: "application/jsonl" });

describe.each([
  {
    operation: "models.list",
    one: aCase(
      "models",
      "/v1/models",
      aReply("2 entries\ngpt-5 · created 1 · owned_by openai\ngpt-5-mini · created 2 · owned_by openai"),
    ),
    sdk: openaiCall((client) => client.models.list()),
  },
  {
    operation: "files.create",
    one: aCase("upload", "/v1/files", aReply(FILE)),
    sdk: openaiCall((client) => client.files.create({ file: upload, purpose: "batch" })),
  },
  {
    operation: "files.retrieve",
    one: aCase("file", "/v1/files/file-abc", aReply(FILE)),
    sdk: openaiCall((client) => client.files.retrieve("file-abc")),
  },
  {
    operation: "batches.create",
    one: aCase("batch", "/v1/batches", aReply(`batch_1 · ${BATCH} · status validating · ${COUNTS}`)),
    sdk: openaiCall((client) =>
      client.batches.create({
        input_file_id: "file-abc",
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      }),
    ),
  },
  {
    operation: "batches.retrieve",
    one: aCase(
      "batch-state",
      "/v1/batches/batch_1",
      aReply(`batch_1 · ${BATCH} · status in_progress · ${COUNTS}`),
    ),
    sdk: openaiCall((client) => client.batches.retrieve("batch_1")),
  },
  {
    operation: "conversations.create",
    one: aCase("conversation", "/v1/conversations", aReply("conv_1 · created_at 1")),
    sdk: openaiCall((client) => client.conversations.create({})),
  },
  {
    operation: "conversations.items.list",
    one: aCase("items", "/v1/conversations/conv_1/items", [
      { role: "assistant", parts: [text("Hi!")] },
      { role: "user", parts: [text("Hello")] },
    ]),
    sdk: openaiCall((client) => client.conversations.items.list("conv_1")),
  },
  {
    operation: "responses.input_items",
    one: aCase("items", "/v1/responses/resp_1/input_items", [
      { role: "assistant", parts: [text("Hi!")] },
      { role: "user", parts: [text("Hello")] },
    ]),
    sdk: openaiCall((client) => client.responses.inputItems.list("resp_1")),
  },
])("$operation", ({ operation, one, sdk }) => {
  operationContract(`OpenAI ${operation}`, {
    protocol: protocolNamed(operation),
    dialect: openaiDialect,
    path: one.fixture.request.path,
    sdk,
    faults: [],
    cases: [one],
  });
});

describe("what is kept at the provider", () => {
  const labelOf = (method: string, path: string): string => {
    const found = createProviders().protocolFor({ provider: "openai", method, path });
    return `${found?.protocol.operation}: ${found?.protocol.facts({ provider: "openai", method, path, body: { kind: "empty" } }).label}`;
  };

  it.each([
    ["GET", "/v1/models/meta-llama%2FLlama-3", "models.retrieve: model meta-llama/Llama-3"],
    ["GET", "/v1/models/meta-llama/Llama-3", "models.retrieve: model meta-llama/Llama-3"],
    ["DELETE", "/v1/files/file-abc", "files.delete: delete file file-abc"],
    ["GET", "/v1/files/file-abc/content", "files.content: content of file-abc"],
    ["GET", "/v1/files?limit=2", "files.list: list of files"],
    ["POST", "/v1/batches/batch_1/cancel", "batches.cancel: cancel batch batch_1"],
    ["DELETE", "/v1/conversations/conv_1", "conversations.delete: delete conversation conv_1"],
    ["GET", "/v1/conversations/conv_1/items/msg_1", "conversations.items.retrieve: item msg_1"],
    ["GET", "/v1/files/%E0%A4%A", "files.retrieve: file %E0%A4%A"],
    ["GET", "/v1/vector_stores/vs_1/files", "http: GET /v1/vector_stores/vs_1/files"],
    ["DELETE", "/v1/containers/c_1/files/f_1", "http: DELETE /v1/containers/c_1/files/f_1"],
  ])("is named by its path: %s %s", (method, path, expected) => {
    expect(labelOf(method, path)).toBe(expected);
  });

  it("shows what is sent along: a file, or items", () => {
    const { request: file } = trafficFixture("openai-resources", "upload", {
      provider: "openai",
      path: "/v1/files",
    });
    const { request: created } = trafficFixture("openai-resources", "conversation", {
      provider: "openai",
      path: "/v1/conversations",
    });

    expect(protocolNamed("files.create").facts(file).label).toBe("upload of calls.jsonl");
    expect(protocolNamed("files.create").conversation(file)).toMatchObject({
      messages: [{ parts: [{ media: "file", description: "calls.jsonl, application/jsonl, 18 bytes" }] }],
      settings: [["purpose", "batch"]],
    });
    expect(protocolNamed("conversations.create").conversation(created)).toEqual({
      messages: [{ role: "user", parts: [text("Hello")] }],
      settings: [["metadata", "topic greeting"]],
    });
  });

  it("is whole as an object or as a list, and not as an error or a cut", () => {
    const isWhole = (body: string): boolean => protocolNamed("models.list").isWhole(Buffer.from(body));

    expect(isWhole("[]")).toBe(true);
    expect(isWhole('{"id":"x","errors":null}')).toBe(true);
    expect(isWhole('{"error":{"message":"no"}}')).toBe(false);
    expect(isWhole('[{"id":')).toBe(false);
  });

  it("takes a draft that is JSON as the reply itself", () => {
    const request = aRequest({ path: "/v1/batches", body: {} });
    const composed = (draft: string): unknown =>
      JSON.parse(
        Buffer.from(protocolNamed("batches.create").compose({ text: draft }, request).body).toString(),
      );

    expect(composed('{"id":"mine"}')).toEqual({ id: "mine" });
    expect(composed("words")).toMatchObject({ id: "batch_tapedeck", status: "completed" });
  });

  it("is shown with its size where it is the content of a file", () => {
    const { reply } = trafficFixture("openai-resources", "content", {
      provider: "openai",
      path: "/v1/files/file-abc/content",
    });

    expect(
      protocolNamed("files.content").project({ ...reply, contentType: "application/octet-stream" }),
    ).toEqual({
      messages: [
        {
          role: "reply",
          parts: [{ type: "media", media: "file", description: "application/octet-stream, 98 bytes" }],
        },
      ],
    });
  });
});
