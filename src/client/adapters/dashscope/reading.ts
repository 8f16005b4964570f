import {
  countIn,
  fieldsOf,
  listOf,
  textIn,
  type Fields,
  inOrder,
} from "../../../core/protocol/base/lenient.ts";
import { chatError, statusError } from "../../errors.ts";
import type { ChatReply, StreamEvent, Usage, FinishReason } from "../../reply.ts";
import type { ChatRequest } from "../../request.ts";
import { replyOf, endEvents, startEvent } from "../adapter.ts";
import { usageFrom, type ChunkReader } from "../fold.ts";
import { chatFinish } from "../openai/chat/reading.ts";
import { retryAfter } from "../sdk-failure.ts";
import { STRUCTURED_TOOL } from "../request-parts.ts";

import { pickDefined } from "../../../core/pick-defined.ts";

const PLACE = { thinking: 0, text: 1, calls: 2 } as const;

/** A whole answer. @throws ChatError "empty" without a choice, a status error where it says that it failed. */
export function dashscopeReply(raw: unknown, request: ChatRequest): ChatReply {
  const answer = fieldsOf(raw);
  throwIfFailed(answer);
  if (listOf(fieldsOf(answer["output"])["choices"]).length === 0)
    throw chatError("empty", "DashScope answered without a choice.", { provider: "dashscope" });
  return replyOf(dashscopeChunks(request), [raw]);
}

/** A call whose id and name may come in pieces: it is told when the next begins, or at the end. */
interface Call {
  id: string;
  name: string;
  text: string;
}

interface State {
  started: boolean;
  finish: string | undefined;
  usage: Usage | undefined;
  /** By the index that the wire gives them, else by their order. */
  readonly calls: Map<number, Call>;
}

/** Reads the chunks of one stream. @throws ChatError where one says that it failed. */
export function dashscopeChunks({ output }: ChatRequest): ChunkReader {
  const state: State = { started: false, finish: undefined, usage: undefined, calls: new Map() };
  return {
    read(one) {
      const chunk = fieldsOf(one);
      throwIfFailed(chunk);
      const choice = fieldsOf(listOf(fieldsOf(chunk["output"])["choices"])[0]);
      const message = fieldsOf(choice["message"]);
      state.usage = usageFrom(fieldsOf(chunk["usage"]), "dashscope") ?? state.usage;
      // Until it is done, a stream says so with the text "null".
      const finish = textIn(choice["finish_reason"]);
      if (finish !== undefined && finish !== "null") state.finish = finish;
      for (const piece of listOf(message["tool_calls"])) takeCall(state.calls, fieldsOf(piece));
      return [...startOf(chunk, state), ...messageEvents(message)];
    },
    end() {
      const called = state.calls.size > 0;
      const reason = (finish: string): FinishReason =>
        called ? (output === undefined ? "tool-calls" : "stop") : chatFinish(finish);
      return [
        ...callEvents(state.calls, output !== undefined),
        ...endEvents(state.usage, state.finish, reason),
      ];
    },
  };
}

function startOf(chunk: Fields, state: State): StreamEvent[] {
  const id = textIn(chunk["request_id"]);
  if (state.started || id === undefined) return [];
  state.started = true;
  return [startEvent(id)];
}

function messageEvents(message: Fields): StreamEvent[] {
  const thought = textIn(message["reasoning_content"]);
  return [
    ...(thought === undefined ? [] : [{ type: "thinking" as const, index: PLACE.thinking, text: thought }]),
    ...textsOf(message["content"]).map((text) => ({ type: "text" as const, index: PLACE.text, text })),
  ];
}

/** A text, or the texts among parts; what says nothing is left out. */
export function textsOf(content: unknown): string[] {
  const texts = Array.isArray(content)
    ? content.map((part: unknown) => textIn(fieldsOf(part)["text"]))
    : [textIn(content)];
  return texts.filter((text) => text !== undefined);
}

function takeCall(calls: Map<number, Call>, piece: Fields): void {
  const { name, arguments: text } = fieldsOf(piece["function"]);
  const index =
    countIn(piece["index"]) ?? (textIn(piece["id"]) === undefined ? Math.max(0, calls.size - 1) : calls.size);
  const call = calls.get(index) ?? { id: "", name: "", text: "" };
  const id = textIn(piece["id"]) ?? "";
  if (id !== call.id) call.id += id;
  call.name += textIn(name) ?? "";
  call.text += textIn(text) ?? "";
  calls.set(index, call);
}

/** The forced tool's arguments are the structured answer's text. */
function callEvents(calls: ReadonlyMap<number, Call>, structured: boolean): StreamEvent[] {
  return inOrder(calls).map(({ id, name, text }, number): StreamEvent => {
    if (structured && name === STRUCTURED_TOOL) return { type: "text", index: PLACE.text, text };
    return { type: "tool-call", index: PLACE.calls + number, id, name, arguments: text };
  });
}

function throwIfFailed(answer: Fields): void {
  const status = countIn(answer["status_code"]) ?? 200;
  if (status < 400) return;
  const [code = "", message = "", requestId] = [answer["code"], answer["message"], answer["request_id"]].map(
    textIn,
  );
  if (code === "tapedeck_miss") throw chatError("not-recorded", message, { provider: "dashscope", status });
  if (code === "tapedeck_upstream") throw chatError("connection", message, { provider: "dashscope", status });
  const retryAfterMs = retryAfter(undefined, textIn(answer["retry_after"]));
  throw statusError(status, code === "" ? message : `${code}: ${message}`, {
    provider: "dashscope",
    ...pickDefined({ requestId, retryAfterMs }),
  });
}
