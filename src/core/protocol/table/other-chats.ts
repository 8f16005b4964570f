import {
  readFields,
  tryParsePlainJson,
  stringifyJson,
  readList,
  readText,
  type Fields,
} from "../../base/lenient.ts";
import { decodeText } from "../../base/wire/text.ts";
import { mapGroups } from "../../base/group-by.ts";
import { readFrame } from "../../base/wire/sse.ts";
import { composeUsage } from "../base/composed.ts";
import { createCallPart, createOtherPart, createTextParts } from "../base/parts.ts";
import type { ConversationPart } from "../base/protocol.ts";
import { createFailureMessage } from "../base/reply.ts";
import { readChatMessage } from "../openai/chat/message.ts";
import { composeChatUsage } from "../openai/chat/protocol.ts";
import { createProtocol, type OperationRow } from "./row.ts";

const isAborted = (fields: Fields): boolean =>
  readText(fields["finish_reason"])?.startsWith("ERROR") === true;

/** Whether an object in place of an event reports a failure. */
const isFailure = ({ event_type: type, message }: Fields): boolean =>
  type === undefined && message !== undefined;

/** Returns an event, which is a line of JSON, or the data of a server-sent event if the client asks for these. */
const readEvent = (frame: string): Fields => readFields(tryParsePlainJson(readFrame(frame).data ?? frame));

/**
 * Cohere's chat, version 1, whose clients are still in use. The last event of a stream has the whole reply.
 * Sources: cohere-python `types/streamed_chat_response`, docs.cohere.com/v1/reference/chat, 2026-11.
 */
const CHAT_V1: OperationRow = {
  operation: "chat.v1",
  call: "POST */v1/chat",
  label: ["{/message}", "chat"],
  takes: { what: "A chat", needs: ["message"] },
  sends: [
    ["system", "/preamble"],
    ["user", "/chat_history/*/message", "/message"],
    ["tool", "/tool_results"],
  ],
  reply: {
    members: ["text"],
    says: ({ text, tool_calls: calls, failure }) => [
      {
        role: "assistant",
        parts: [
          ...createTextParts(text),
          ...readList(calls)
            .map(readFields)
            .map(({ name, parameters }) => createCallPart(undefined, name, stringifyJson(parameters ?? {}))),
        ],
      },
      ...(failure === undefined ? [] : [createFailureMessage(failure)]),
    ],
    usage: ["cohere", "/meta"],
    joined(events) {
      const end = events.find(({ event_type: type }) => type === "stream-end");
      if (end !== undefined) return readFields(end["response"]);
      const text = events.map((event) => readText(event["text"]) ?? "").join("");
      return { text, failure: events.find(isFailure) };
    },
  },
  stream: { terminal: [], failed: [] },
  sample(_, draft) {
    const { input: input_tokens, output: output_tokens } = composeUsage(draft);
    return {
      response_id: "tapedeck",
      generation_id: "tapedeck",
      text: draft.text,
      chat_history: [],
      finish_reason: draft.finish === "length" ? "MAX_TOKENS" : "COMPLETE",
      meta: { api_version: { version: "1" }, billed_units: { input_tokens, output_tokens } },
    };
  },
  own: {
    stream: {
      isTerminal: (frame) => readEvent(frame)["event_type"] === "stream-end",
      isError(frame) {
        const event = readEvent(frame);
        return isFailure(event) || isAborted(event) || isAborted(readFields(event["response"]));
      },
    },
    isWhole(body) {
      const fields = readFields(tryParsePlainJson(decodeText(body)));
      return typeof fields["text"] === "string" && !isAborted(fields);
    },
  },
};

function outputParts(output: unknown): readonly ConversationPart[] {
  const { type, content, tool_call_id: id, name, arguments: given } = readFields(output);
  if (type === "function.call") return [createCallPart(id, name, given ?? "")];
  if (content === undefined) return [createOtherPart(readText(type) ?? "entry", stringifyJson(output))];
  return readChatMessage({ content }, "assistant").parts;
}

/**
 * Starts, continues, or restarts a conversation of Mistral.
 * Source: mistralai/client-python `conversations.py` and `conversationevents.py`, 2026-11.
 */
const MISTRAL_CONVERSATIONS: OperationRow = {
  operation: "conversations",
  call: "POST /conversations(?:/[^/]+(?:/restart)?)?",
  label: ["{/inputs}", "{/inputs/*/content}", "conversation"],
  takes: { what: "A conversation", needs: [] },
  sends: [
    ["system", "/instructions"],
    ["user", "/inputs"],
  ],
  reply: {
    members: ["outputs"],
    says: ({ outputs }) => [{ role: "assistant", parts: readList(outputs).flatMap(outputParts) }],
    usage: ["chat", "/usage"],
    joined(events) {
      const textDeltas = events.filter(({ type }) => type === "message.output.delta");
      const called = events.filter(({ type }) => type === "function.call.delta");
      const text = textDeltas.map(
        ({ content }) => readText(content) ?? readText(readFields(content)["text"]) ?? "",
      );
      const calls = [...mapGroups(called, (event) => event["tool_call_id"]).values()].map((pieces) => ({
        ...pieces[0],
        type: "function.call",
        arguments: pieces.map((piece) => readText(piece["arguments"]) ?? "").join(""),
      }));
      const [model, usage] = [textDeltas[0]?.["model"], events.at(-1)?.["usage"]];
      return { outputs: [{ content: text.join("") }, ...calls], usage, model };
    },
  },
  stream: { terminal: ["conversation.response.done"], failed: ["conversation.response.error"] },
  sample: ({ fields }, draft) => ({
    object: "conversation.response",
    conversation_id: "conv_tapedeck",
    outputs: [
      {
        object: "entry",
        type: "message.output",
        id: "msg_tapedeck",
        role: "assistant",
        model: readText(fields["model"]),
        content: draft.text,
      },
    ],
    usage: composeChatUsage(draft),
  }),
};

export const cohereChatV1 = createProtocol(CHAT_V1);
export const mistralConversations = createProtocol(MISTRAL_CONVERSATIONS);
