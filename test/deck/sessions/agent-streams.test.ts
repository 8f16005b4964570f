import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { anAgentServer } from "../../support/an-agent-server.ts";
import { aSessionDeck } from "../../support/a-session-deck.ts";

/** A client of a stream that stays open. It reads what follows each of its requests, then leaves. */
interface StreamClient {
  readonly path: string;
  /** Requests of one conversation. */
  readonly requests: number;
  /** Sends a text in the middle of the stream, and fails or goes on if that fails. */
  readonly converse: (baseURL: string, text: string, isAwaited?: boolean) => Promise<readonly string[]>;
}

/** Waits for a request, or ignores its failure. */
const finish = async (request: Promise<unknown>, isAwaited: boolean): Promise<void> => {
  const done = request.catch((error: unknown) => {
    if (isAwaited) throw error;
  });
  if (isAwaited) await done;
};

/** Runs a tool of an OpenAI agent. */
const lookInto = (seen: string[], result: string) => ({
  look: () => {
    seen.push("the tool runs");
    return result;
  },
});

const anOpenAI = (baseURL: string) => new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });

const CLIENTS: Readonly<Record<string, StreamClient>> = {
  "openai, which subscribes before it sends anything": {
    path: "/openai/v1",
    requests: 4,
    async converse(baseURL, text, isAwaited = true) {
      const { sessions } = anOpenAI(baseURL).beta.agents;
      const seen: string[] = [];
      const { status } = await sessions.retrieve("asess_1");
      const stream = await sessions.events.stream("asess_1");
      const send = (...events: OpenAI.Beta.AgentSessionInputParam[]) =>
        sessions.events.create("asess_1", { events });
      await send({
        type: "agent.session.input.message",
        input: [{ role: "user", content: [{ type: "input_text", text: status }] }],
      });
      for await (const event of stream) {
        seen.push(JSON.stringify(event));
        if (event.type === "agent.session.idle") break;
        if (event.type !== "agent.session.turn.item.added") continue;
        const result = { turn_id: "turn_1", call_id: "call_1", success: true, output: text };
        await finish(send({ type: "agent.session.input.tool_result", ...result }), isAwaited);
      }
      return seen;
    },
  },
  "openai, whose stream creates the session and runs tools": {
    path: "/openai/v1",
    requests: 2,
    async converse(baseURL, text, isAwaited = true) {
      const seen: string[] = [];
      const stream = await anOpenAI(baseURL).beta.agents.sessions.create({
        agent_id: "agent_1",
        environment: { type: "self_hosted", workspace_directory: "/work" },
        input: "hello",
        stream: true,
        ...(isAwaited && { toolHandlers: lookInto(seen, text) }),
      });
      for await (const event of stream) {
        seen.push(JSON.stringify(event));
        if (event.type === "agent.session.idle") break;
        if (isAwaited || event.type !== "agent.session.turn.item.added") continue;
        const request = anOpenAI(baseURL).beta.agents.sessions.events.create("asess_1", { events: [] });
        await finish(request, false);
      }
      return seen;
    },
  },
  anthropic: {
    path: "/anthropic",
    requests: 3,
    async converse(baseURL, text, isAwaited = true) {
      const { events } = new Anthropic({ apiKey: "none", baseURL, maxRetries: 1 }).beta.sessions;
      const stream = await events.stream("sesn_1");
      const seen: string[] = [];
      const send = (said: string) =>
        events.send("sesn_1", {
          events: [{ type: "user.message", content: [{ type: "text", text: said }] }],
        });
      await send("hello");
      for await (const event of stream) {
        seen.push(JSON.stringify(event));
        if (event.type !== "session.status_idle") continue;
        if (seen.length > 3) break;
        await finish(send(text), isAwaited);
      }
      return seen;
    },
  },
  gemini: {
    path: "/gemini",
    requests: 2,
    async converse(baseUrl, text, isAwaited = true) {
      const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } });
      const stream = await client.interactions.get("v1_1", { stream: true });
      const seen: string[] = [];
      for await (const event of stream) {
        seen.push(JSON.stringify(event));
        if (event.event_type !== "step.delta") continue;
        const id = text === "bye" ? "v1_1" : "v1_1/as-well";
        await finish(client.interactions.cancel(id), isAwaited);
      }
      return seen;
    },
  },
};

/** Records a conversation. The upstream fails this many posts first. */
async function aRecordedStream(title: string, client: StreamClient, failures = 0) {
  const [name = ""] = title.split(",");
  const upstream = await anAgentServer(failures);
  const { url, reported } = await aSessionDeck({ [name]: upstream.url }, { path: client.path });
  const recorded = await client.converse(url("record"), "bye");
  const events = [...(await reported(client.requests + failures))];
  return { recorded, events, url, opened: upstream.opened };
}

describe.each(Object.entries(CLIENTS))("a stream of an agent, by the SDK of %s", (title, client) => {
  test("is recorded until the client leaves, and replayed by cause", async () => {
    const { recorded, events, url, opened } = await aRecordedStream(title, client);
    const replayed = await client.converse(url("strict"), "bye");

    expect(events.map(({ outcome }) => outcome)).toEqual(events.map(() => "recorded"));
    expect(replayed).toEqual(recorded);
    expect(opened).toHaveLength(client.requests);
  });

  test("is missed with a request that was not recorded, in the form of the API", async () => {
    const { url, opened } = await aRecordedStream(title, client);

    await expect(client.converse(url("strict"), "good night")).rejects.toThrow("No recording for this");
    expect(opened).toHaveLength(client.requests);
  });

  test("ends with an error if a client ignores the miss of its request", async () => {
    const { url, opened } = await aRecordedStream(title, client);

    const end = await client
      .converse(url("strict"), "good night", false)
      .then((events) => events.at(-1))
      .catch((error: unknown) => String(error));

    expect(end).toContain('"type":"error"');
    expect(end).toContain("was recorded with other requests");
    expect(opened).toHaveLength(client.requests);
  });
});

test("a replayed event does not wait for a request that failed and was repeated", async () => {
  const { anthropic: client } = CLIENTS;
  if (client === undefined) throw new Error("There is a client of Anthropic.");
  const { recorded, url, opened } = await aRecordedStream("anthropic", client, 1);
  const replayed = await client.converse(url("strict"), "bye");

  expect(replayed).toEqual(recorded);
  expect(opened).toHaveLength(client.requests + 1);
});
