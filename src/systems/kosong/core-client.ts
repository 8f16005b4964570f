import type { ChatClient } from "../../client/chat-client.ts";
import { checkRequest } from "../../client/check-request.ts";
import { createCompleting, createMerger, createPartPiece } from "../../client/merge-pieces.ts";
import {
  type MediaPart,
  type MediaSource,
  type Message as CoreMessage,
  type Part,
  textOf,
  type TextPart,
  toolCallsOf,
} from "../../client/message.ts";
import type { StreamEvent } from "../../client/reply.ts";
import type { ChatRequest, ThinkingEffort } from "../../client/request.ts";
import type { FetchChatProvider } from "./chaos-chat-provider.ts";
import type { ChatProvider, Prompt, StreamedMessage } from "./chat-provider.ts";
import { convertSdkError, validationError } from "./errors.ts";
import { message, partsOf, type Message } from "./message.ts";
import {
  audioURLPart,
  type ContentPart,
  imageURLPart,
  isToolCall,
  isToolCallPart,
  type MediaUrl,
  merged,
  type StreamedMessagePart,
  textPart,
  thinkPart,
  toolCall,
  type ToolCall,
  videoURLPart,
} from "./parts.ts";
import { type TokenUsage, tokenUsageFromUsage, usageFromTokenUsage } from "./token-usage.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/** Wraps a kosong provider as a client of the core. System messages are joined with a blank line between them. */
export function clientFromProvider(provider: ChatProvider): ChatClient {
  const stream = async function* (request: ChatRequest): AsyncGenerator<StreamEvent, void, undefined> {
    checkRequest(request);
    const thinking = request.settings?.thinking;
    const chosen = typeof thinking === "string" ? provider.withThinking(thinking) : provider;
    yield* events(await chosen.generate(promptOf(request)), chosen.modelName);
  };
  return { provider: provider.name, model: provider.modelName, stream, complete: createCompleting(stream) };
}

function promptOf({ messages, tools = [], signal }: ChatRequest): Prompt {
  const systems = messages.filter(({ role }) => role === "system");
  return {
    systemPrompt: systems.map((one) => textOf(one)).join("\n\n"),
    tools: tools.map(({ name, description = "", parameters = {} }) => ({ name, description, parameters })),
    history: messages.filter(({ role }) => role !== "system").flatMap(kosongMessages),
    ...pickDefined({ signal }),
  };
}

/** Converts an answer to events. Parts that kosong would merge become one; arguments without a call are dropped. */
async function* events(answer: StreamedMessage, model: string): AsyncGenerator<StreamEvent, void, undefined> {
  let index = -1;
  let pending: StreamedMessagePart | undefined;
  let called = false;
  yield { type: "start", ...(answer.id !== null && { id: answer.id }), model };
  for await (const part of answer) {
    const joined = pending === undefined ? undefined : merged(pending, part);
    if (joined === undefined) index += 1;
    const owner = pending;
    pending = joined ?? structuredClone(part);
    if (!isToolCallPart(part)) {
      called ||= isToolCall(part);
      yield createPartPiece(isToolCall(part) ? coreCall(part) : corePart(part), index);
    } else if (joined !== undefined && owner !== undefined && isToolCall(owner)) {
      yield { type: "tool-call", index, arguments: part.arguments_part ?? "" };
    }
  }
  if (answer.usage !== null) yield { type: "usage", usage: usageFromTokenUsage(answer.usage) };
  yield { type: "finish", reason: called ? "tool-calls" : "stop" };
}

/** Creates a client that sends through a `fetch`, such as an adapter's constructor. */
export type ClientOverFetch = (fetch: typeof globalThis.fetch) => ChatClient;

/**
 * Wraps a client of the core as a kosong provider. Its transport can be replaced, so chaos providers accept it. Tool
 * calls are emitted whole and last, because kosong has no index that separates interleaved ones.
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
        return await beginStream(make(provider.fetch).stream(requestOf(prompt, effort)));
      } catch (thrown) {
        throw convertSdkError(thrown);
      }
    },
    withThinking: (newEffort) => providerFromClient(make, provider.fetch, newEffort),
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
    ...pickDefined({ signal }),
  };
}

/** Waits for the first event of a stream, so that a request that fails at once fails here. */
async function beginStream(stream: AsyncIterable<StreamEvent>): Promise<StreamedMessage> {
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
        if (event.type === "text" || event.type === "thinking") yield convertContentPart(event);
        if (event.type === "media") yield convertContentPart(event.part);
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

export function coreMessage(made: Message): CoreMessage {
  const converted = partsOf(made).map(corePart);
  const { role, name, toolCalls, toolCallId } = made;
  const calls = (toolCalls ?? []).map(coreCall);
  const named: { readonly name?: string } = name === null ? {} : { name };
  if (toolCallId === null) return { role, parts: [...converted, ...calls], ...named };
  const [only] = converted;
  const bare = converted.length === 1 && only?.type === "text" ? only.text : undefined;
  const parts = converted.filter(isResultPart);
  return { role, parts: [{ type: "tool-result", callId: toolCallId, content: bare ?? parts, ...named }] };
}

/** Whether a tool's result can contain the part. */
const isResultPart = (part: Part): part is TextPart | MediaPart => part.type === "text" || "source" in part;

/** Converts a message of the core: one message for each tool result, else one. @throws ChatProviderError for a file. */
export function kosongMessages(given: CoreMessage): readonly Message[] {
  const { role, parts } = given;
  const name = given.name ?? null;
  const results = parts.filter((part) => part.type === "tool-result");
  if (results.length > 0) {
    return results.map((result) => {
      const content =
        typeof result.content === "string" ? result.content : result.content.map(convertContentPart);
      return message({ role: "tool", content, toolCallId: result.callId, name: result.name ?? name });
    });
  }
  const calls = parts.filter((part) => part.type === "tool-call").map(kosongCall);
  const content = parts.filter((part) => part.type !== "tool-call").map(convertContentPart);
  return [message({ role, name, content, toolCalls: calls.length > 0 ? calls : null })];
}

function corePart(part: ContentPart): Part {
  switch (part.type) {
    case "text":
      return part;
    case "think": {
      const { think: text, encrypted } = part;
      return { type: "thinking", text, ...(encrypted !== null && { signature: encrypted }) };
    }
    case "image_url":
      return { type: "image", ...mediaOf(part.image_url) };
    case "audio_url":
      return { type: "audio", ...mediaOf(part.audio_url) };
    case "video_url":
      break;
  }
  return { type: "video", ...mediaOf(part.video_url) };
}

function coreCall({
  id,
  function: { name, arguments: written },
  extras,
}: ToolCall): Part & { type: "tool-call" } {
  return { type: "tool-call", id, name, arguments: written ?? "", ...(extras !== null && { extras }) };
}

function kosongCall(part: Part & { type: "tool-call" }): ToolCall {
  return toolCall(part.id, part.name, { arguments: part.arguments, extras: part.extras ?? null });
}

/** Converts a part of the core. @throws ChatProviderError for a kind that kosong does not have. */
export function convertContentPart(part: Part): ContentPart {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "thinking":
      return thinkPart(part.text, part.signature ?? null);
    case "image":
      return imageURLPart(...mediaAddress(part));
    case "audio":
      return audioURLPart(...mediaAddress(part));
    case "video":
      return videoURLPart(...mediaAddress(part));
    case "file":
    case "tool-call":
    case "tool-result":
      break;
  }
  throw validationError(`kosong has no content part for a ${part.type} part.`);
}

function mediaOf({ url, id }: MediaUrl): {
  readonly source: MediaSource;
  readonly extras?: { readonly id: string };
} {
  return { source: { kind: "url", url }, ...(id !== null && { extras: { id } }) };
}

function mediaAddress({ type, source, extras }: MediaPart): [url: string, id: string | null] {
  const id = extras?.["id"];
  const known = typeof id === "string" ? id : null;
  if (source.kind === "url") return [source.url, known];
  if (source.kind === "base64") return [`data:${source.mediaType};base64,${source.data}`, known];
  throw validationError(`kosong has no address for a ${type} that is a file of the provider's.`);
}
