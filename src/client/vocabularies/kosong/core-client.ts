import type { ChatClient } from "../../chat-client.ts";
import { checkRequest } from "../../check-request.ts";
import { completing } from "../../collect.ts";
import { createMerger } from "../../merge-pieces.ts";
import { textOf, toolCallsOf } from "../../message.ts";
import type { StreamEvent } from "../../part-stream.ts";
import { pieceOf } from "../../reply-events.ts";
import type { ChatRequest, ThinkingEffort } from "../../request.ts";
import type { ChatProvider, Prompt, StreamedMessage } from "./chat-provider.ts";
import type { FetchChatProvider } from "./chaos-chat-provider.ts";
import { convertSdkError } from "./convert-error.ts";
import { contentPart, coreCall, coreMessage, corePart, kosongCall, kosongMessages } from "./core-messages.ts";
import { merged } from "./merge.ts";
import { isToolCall, isToolCallPart, type StreamedMessagePart } from "./parts.ts";
import { tokenUsageFromUsage, usageFromTokenUsage, type TokenUsage } from "./token-usage.ts";

/** A kosong provider as a client of the core. System messages are joined with a blank line between them. */
export function clientFromProvider(provider: ChatProvider): ChatClient {
  const stream = async function* (request: ChatRequest): AsyncGenerator<StreamEvent, void, undefined> {
    checkRequest(request);
    const thinking = request.settings?.thinking;
    const chosen = typeof thinking === "string" ? provider.withThinking(thinking) : provider;
    const message = await chosen.generate(promptOf(request));
    yield* events(message, chosen.modelName);
  };
  return {
    provider: provider.name,
    model: provider.modelName,
    stream,
    complete: completing(stream),
  };
}

function promptOf({ messages, tools = [], signal }: ChatRequest): Prompt {
  const systems = messages.filter(({ role }) => role === "system");
  return {
    systemPrompt: systems.map((message) => textOf(message)).join("\n\n"),
    tools: tools.map(({ name, description = "", parameters = {} }) => ({ name, description, parameters })),
    history: messages.filter(({ role }) => role !== "system").flatMap(kosongMessages),
    ...(signal && { signal }),
  };
}

/** Parts that kosong would merge are pieces of one; arguments that belong to no call are dropped. */
async function* events(
  message: StreamedMessage,
  model: string,
): AsyncGenerator<StreamEvent, void, undefined> {
  let index = -1;
  let pending: StreamedMessagePart | undefined;
  let called = false;
  yield { type: "start", ...(message.id !== null && { id: message.id }), model };
  for await (const part of message) {
    const joined = pending === undefined ? undefined : merged(pending, part);
    if (joined === undefined) index += 1;
    const owner = pending;
    pending = joined ?? structuredClone(part);
    if (!isToolCallPart(part)) {
      called ||= isToolCall(part);
      yield pieceOf(isToolCall(part) ? coreCall(part) : corePart(part), index);
    } else if (joined !== undefined && owner !== undefined && isToolCall(owner)) {
      yield { type: "tool-call", index, arguments: part.arguments_part ?? "" };
    }
  }
  if (message.usage !== null) yield { type: "usage", usage: usageFromTokenUsage(message.usage) };
  yield { type: "finish", reason: called ? "tool-calls" : "stop" };
}

/** What makes a client that sends through a `fetch`: an adapter's constructor, in short. */
export type ClientOverFetch = (fetch: typeof globalThis.fetch) => ChatClient;

/**
 * A client of the core as a kosong provider. Its transport can be put in another's place, so it bears chaos; tool calls
 * come whole and after all else, because kosong has no index to tell interleaved ones apart.
 */
export function providerFromClient(
  make: ClientOverFetch,
  fetch: typeof globalThis.fetch,
  effort: ThinkingEffort | null = null,
): FetchChatProvider {
  const { provider: name, model: modelName } = make(fetch);
  const provider: FetchChatProvider = {
    name,
    modelName,
    thinkingEffort: effort,
    fetch,
    async generate(prompt) {
      try {
        return await begun(make(provider.fetch).stream(requestOf(prompt, effort)));
      } catch (thrown) {
        throw convertSdkError(thrown);
      }
    },
    withThinking: (wanted) => providerFromClient(make, provider.fetch, wanted),
  };
  return provider;
}

function requestOf(
  { systemPrompt, tools, history, signal }: Prompt,
  effort: ThinkingEffort | null,
): ChatRequest {
  const messages = history.map(coreMessage);
  return {
    messages:
      systemPrompt === ""
        ? messages
        : [{ role: "system", parts: [{ type: "text", text: systemPrompt }] }, ...messages],
    ...(tools.length > 0 && { tools }),
    ...(effort !== null && { settings: { thinking: effort } }),
    ...(signal && { signal }),
  };
}

/** A stream of which the first event is there, so that a request that fails at once fails here. */
async function begun(stream: AsyncIterable<StreamEvent>): Promise<StreamedMessage> {
  const source = stream[Symbol.asyncIterator]();
  const first = await source.next();
  const merger = createMerger();
  const facts: { id: string | null; usage: TokenUsage | null } = { id: null, usage: null };
  const parts = (async function* (): AsyncGenerator<StreamedMessagePart, void, undefined> {
    try {
      for (let next = first; next.done !== true; next = await source.next()) {
        const event = next.value;
        merger.add(event);
        if (event.type === "start") facts.id = event.id ?? facts.id;
        if (event.type === "usage") facts.usage = tokenUsageFromUsage(event.usage);
        if (event.type === "text" || event.type === "thinking") yield contentPart(event);
        if (event.type === "media") yield contentPart(event.part);
      }
      for (const call of toolCallsOf(merger.reply().message)) yield kosongCall(call);
    } catch (thrown) {
      throw convertSdkError(thrown);
    } finally {
      await source.return?.();
    }
  })();
  return {
    get id() {
      return facts.id;
    },
    get usage() {
      return facts.usage;
    },
    traceId: null,
    [Symbol.asyncIterator]: () => parts,
  };
}
