import type { GeneratedCall, Makers, Place } from "./place.ts";
import { bytes, emptyRequest, formRequest, jsonReply, jsonRequest } from "./wire.ts";

/** Models and files, which OpenAI and Anthropic keep under the same paths. */
export const keptMakers: Makers = {
  "models.list": (place) => got(place, "/models", listOf([model("corpus-chat-1"), model("corpus-embed-1")])),
  "models.retrieve": (place) => got(place, "/models/corpus-chat-1", model("corpus-chat-1")),
  "models.delete": (place) => gone(place, "/models/ft:corpus-chat-1", "ft:corpus-chat-1"),
  "files.create": ({ base, voice }) => [
    {
      name: "made",
      request: formRequest(
        `${base}/files`,
        { purpose: "batch" },
        {
          field: "file",
          name: "calls.jsonl",
          type: "application/jsonl",
          content: `{"custom_id":"${voice.id("c-")}"}\n`,
        },
      ),
      reply: jsonReply(file(voice.id("file-"))),
    },
  ],
  "files.list": (place) =>
    got(place, "/files?limit=2", listOf([file(place.voice.id("file-")), file(place.voice.id("file-"))])),
  "files.content": ({ base, voice }) => [
    {
      name: "content",
      request: emptyRequest("GET", `${base}/files/${voice.id("file-")}/content`),
      reply: {
        status: 200,
        contentType: "application/octet-stream",
        body: bytes(`{"custom_id":"a","response":{"status_code":200}}\n{"custom_id":"b"}\n`),
      },
    },
  ],
  "files.retrieve": (place) => {
    const id = place.voice.id("file-");
    return got(place, `/files/${id}`, file(id));
  },
  "files.delete": (place) => {
    const id = place.voice.id("file-");
    return gone(place, `/files/${id}`, id);
  },
};

/** Batches of calls and conversations that OpenAI keeps. */
export const openaiKeptMakers: Makers = {
  ...keptMakers,
  "batches.create": ({ base, voice }) => [
    {
      name: "made",
      request: jsonRequest(`${base}/batches`, {
        input_file_id: voice.id("file-"),
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      }),
      reply: jsonReply(batch(voice.id("batch_"), "validating")),
    },
  ],
  "batches.list": (place) => got(place, "/batches", listOf([batch(place.voice.id("batch_"), "completed")])),
  // A test that waits gets the states one after another: the same request, each time another answer.
  "batches.retrieve": (place) => {
    const id = place.voice.id("batch_");
    return ["in_progress", "finalizing", "completed"].flatMap((status) =>
      got(place, `/batches/${id}`, batch(id, status), status),
    );
  },
  "batches.cancel": ({ base, voice }) => {
    const id = voice.id("batch_");
    return [
      {
        name: "cancelled",
        request: emptyRequest("POST", `${base}/batches/${id}/cancel`),
        reply: jsonReply(batch(id, "cancelling")),
      },
    ];
  },
  "conversations.create": ({ base, voice }) => [
    {
      name: "made",
      request: jsonRequest(`${base}/conversations`, {
        metadata: { topic: "tides" },
        items: [{ type: "message", role: "user", content: voice.text() }],
      }),
      reply: jsonReply(conversation(voice.id("conv_"))),
    },
  ],
  "conversations.retrieve": (place) => {
    const id = place.voice.id("conv_");
    return got(place, `/conversations/${id}`, conversation(id));
  },
  "conversations.update": ({ base, voice }) => {
    const id = voice.id("conv_");
    return [
      {
        name: "changed",
        request: jsonRequest(`${base}/conversations/${id}`, { metadata: { topic: "boats" } }),
        reply: jsonReply(conversation(id)),
      },
    ];
  },
  "conversations.delete": (place) => {
    const id = place.voice.id("conv_");
    return gone(place, `/conversations/${id}`, id);
  },
  "conversations.items.create": ({ base, voice }) => [
    {
      name: "made",
      request: jsonRequest(`${base}/conversations/${voice.id("conv_")}/items`, {
        items: [{ type: "message", role: "user", content: voice.text() }],
      }),
      reply: jsonReply(listOf([item(voice.id("msg_"), voice.text())])),
    },
  ],
  "conversations.items.list": (place) =>
    got(
      place,
      `/conversations/${place.voice.id("conv_")}/items?order=asc`,
      listOf([item("msg_1", place.voice.text())]),
    ),
  "conversations.items.retrieve": (place) =>
    got(place, `/conversations/${place.voice.id("conv_")}/items/msg_1`, item("msg_1", place.voice.text())),
  "conversations.items.delete": (place) => {
    const id = place.voice.id("conv_");
    return [
      {
        name: "deleted",
        request: emptyRequest("DELETE", `${place.base}/conversations/${id}/items/msg_1`),
        reply: jsonReply(conversation(id)),
      },
    ];
  },
};

export function got({ base }: Place, path: string, value: unknown, name = "got"): GeneratedCall[] {
  return [{ name, request: emptyRequest("GET", `${base}${path}`), reply: jsonReply(value) }];
}

export function gone({ base }: Place, path: string, id: string): GeneratedCall[] {
  const value = { id, object: "deleted", type: "deleted", deleted: true };
  return [
    {
      name: "deleted",
      request: emptyRequest("DELETE", `${base}${path}`),
      reply: jsonReply(value, "indented"),
    },
  ];
}

export function listOf(data: readonly object[]): object {
  return { object: "list", data, has_more: false, first_id: null, last_id: null };
}

const model = (id: string): object => ({
  id,
  object: "model",
  type: "model",
  created: 1,
  owned_by: "corpus",
});

const file = (id: string): object => ({
  id,
  object: "file",
  type: "file",
  bytes: 120,
  created_at: 1,
  filename: "calls.jsonl",
  purpose: "batch",
  status: "processed",
});

const batch = (id: string, status: string): object => ({
  id,
  object: "batch",
  endpoint: "/v1/chat/completions",
  input_file_id: "file-1",
  completion_window: "24h",
  status,
  created_at: 1,
  request_counts: { total: 2, completed: status === "completed" ? 2 : 0, failed: 0 },
});

const conversation = (id: string): object => ({
  id,
  object: "conversation",
  created_at: 1,
  metadata: { topic: "tides" },
});

const item = (id: string, text: string): object => ({
  id,
  type: "message",
  role: "user",
  status: "completed",
  content: [{ type: "input_text", text }],
});
