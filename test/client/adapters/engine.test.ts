import { describe, expect, test } from "vitest";
import { createEngineFetch } from "../../../src/core/answer/fetch.ts";
import type { OutgoingRequest } from "../../../src/core/answer/source/source.ts";
import type { ChatClient } from "../../../src/client/chat-client.ts";
import { collect } from "../../../src/client/merge-pieces.ts";
import { user } from "../../../src/client/make-message.ts";
import { textOf, toolCallsOf } from "../../../src/client/message.ts";
import { type ChatReply, inputTokens } from "../../../src/client/reply.ts";
import { anEngine, aRun } from "../../support/an-engine.ts";
import { CLIENTS, type ClientName } from "./clients.ts";
import { providers, upstreamReply } from "./upstream-reply.ts";

const tools = [{ name: "weather", description: "The weather", parameters: { type: "object" } }];
const FORMS = ["complete", "stream"] as const;

describe.each(Object.keys(CLIENTS) as ClientName[])("the adapter %s on the engine's fetch", (name) => {
  test.each(FORMS)("records and replays an answer with text, a tool call and usage (%s)", async (form) => {
    const { client, sent } = clientsOn(name);
    const asked = { messages: [user("What is the weather?")], tools };

    const recorded = await ask(client("record"), asked, form);
    const replayed = await ask(client("strict"), asked, form);

    expect(shown(recorded)).toEqual(EXPECTED);
    expect(shown(replayed)).toEqual(EXPECTED);
    expect(sent.length).toBe(1);
  });

  test.each(FORMS)(
    "fails with not-recorded when no recording answers, and sends nothing (%s)",
    async (form) => {
      const { client, sent } = clientsOn(name);

      const missed = ask(client("strict"), { messages: [user("Something new")] }, form);

      await expect(missed).rejects.toMatchObject({ kind: "not-recorded", retryable: false, status: 404 });
      await expect(missed).rejects.toThrow(/no recording/i);
      expect(sent).toEqual([]);
    },
  );

  test.each(FORMS)("gives the provider's failure as a typed error (%s)", async (form) => {
    const { client } = clientsOn(name, 429);

    const failed = ask(client("live"), { messages: [user("Hello")] }, form);

    await expect(failed).rejects.toMatchObject({ kind: "rate-limit", retryable: true, status: 429 });
  });

  test("ends the request when a stream is left, and is cancelled by its signal", async () => {
    const { client } = clientsOn(name);
    const aborted = AbortSignal.abort();

    for await (const event of client("live").stream({ messages: [user("Hello")] }))
      if (event.type === "text") break;

    await expect(
      client("live").complete({ messages: [user("Hello")], signal: aborted }),
    ).rejects.toMatchObject({
      kind: "cancelled",
    });
  });
});

const EXPECTED = {
  text: "Let me see.",
  calls: [["weather", { city: "Paris" }]],
  input: 11,
  output: 7,
  finish: "tool-calls",
};

function shown({ message, usage, finishReason }: ChatReply): unknown {
  return {
    text: textOf(message),
    calls: toolCallsOf(message).map(({ name, arguments: text }) => [name, JSON.parse(text)]),
    input: usage && inputTokens(usage),
    output: usage?.outputTokens,
    finish: finishReason,
  };
}

function ask(
  client: ChatClient,
  request: Parameters<ChatClient["complete"]>[0],
  form: (typeof FORMS)[number],
) {
  return form === "complete" ? client.complete(request) : collect(client.stream(request));
}

function clientsOn(name: ClientName, status = 200) {
  const under = anEngine((request: OutgoingRequest) => upstreamReply(name, request, status), { providers });
  const client = (mode: "record" | "strict" | "live"): ChatClient =>
    CLIENTS[name](createEngineFetch(under.engine, providers, aRun(mode)));
  return { client, sent: under.sent };
}
