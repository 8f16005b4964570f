import {
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../../core/protocol/reading/lenient.ts";
import { chatError, statusError } from "../../../errors.ts";
import type { StreamEvent } from "../../../part-stream.ts";
import type { ChatReply, FinishReason } from "../../../reply.ts";
import type { ChatRequest } from "../../../request.ts";
import type { ChunkReader } from "../../adapter.ts";
import { replyOf } from "../../reply-of.ts";
import type { ChatFlavour } from "./flavour.ts";
import { chatFinish } from "./finish.ts";
import { PLACE, saidPieces, type AudioReading } from "./pieces.ts";
import { chatUsage } from "./usage.ts";

/** A whole chat completion. @throws ChatError "empty" without choices, a status error where it says that it failed. */
export function chatReply(raw: unknown, request: ChatRequest, flavour: ChatFlavour): ChatReply {
  const fields = fieldsOf(raw);
  throwIfError(fields, flavour);
  const [choice] = listOf(fields["choices"]);
  if (choice === undefined)
    throw chatError("empty", `${flavour.name} answered without a choice.`, { provider: flavour.provider });
  const message = fieldsOf(fieldsOf(choice)["message"]);
  const reader = chunkReader({ mediaType: audioType(request), whole: true }, flavour);
  // A whole message is one big delta.
  const { message: _whole, ...rest } = fieldsOf(choice);
  return replyOf(reader, [{ ...fields, choices: [{ ...rest, delta: message }] }]);
}

/** Reads the chunks of one streamed completion. Only the first choice is looked at. */
export function chatChunks(request: ChatRequest, flavour: ChatFlavour): ChunkReader {
  return chunkReader({ mediaType: audioType(request), whole: false }, flavour);
}

/** Audio comes in the format that was asked for. */
function audioType({ settings }: ChatRequest): string {
  return `audio/${textIn(fieldsOf(settings?.extra?.["audio"])["format"]) ?? "wav"}`;
}

function chunkReader(audio: AudioReading, flavour: ChatFlavour): ChunkReader {
  let finish: string | undefined;
  let refused = false;
  let usage: StreamEvent | undefined;
  let started = false;
  const calls = callPlaces();
  return {
    read(one) {
      const chunk = fieldsOf(one);
      throwIfError(chunk, flavour);
      const events: StreamEvent[] = started ? [] : startOf(chunk);
      started ||= events.length > 0;
      const counted = chatUsage(chunk["usage"] ?? fieldsOf(chunk["x_groq"])["usage"]);
      if (counted !== undefined) usage = { type: "usage", usage: counted };
      const choice = fieldsOf(listOf(chunk["choices"]).find(isFirst));
      const delta = fieldsOf(choice["delta"]);
      finish = textIn(choice["finish_reason"]) ?? finish;
      refused ||= textIn(delta["refusal"]) !== undefined;
      return [
        ...events,
        ...saidPieces(delta, audio),
        ...listOf(delta["tool_calls"]).map((call) => calls.piece(call)),
      ];
    },
    end() {
      const told: StreamEvent[] = usage === undefined ? [] : [usage];
      if (finish === undefined) return told;
      return [
        ...told,
        { type: "finish", reason: reasonOf(finish, refused, calls.count()), rawReason: finish },
      ];
    },
  };
}

/** Some servers say "stop" where they call a tool. */
function reasonOf(finish: string, refused: boolean, calls: number): FinishReason {
  if (refused) return "content-filter";
  const reason = chatFinish(finish);
  return reason === "stop" && calls > 0 ? "tool-calls" : reason;
}

function startOf(chunk: Fields): StreamEvent[] {
  const [id, model] = [textIn(chunk["id"]), textIn(chunk["model"])];
  if (id === undefined && model === undefined) return [];
  return [{ type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }) }];
}

function isFirst(choice: unknown): boolean {
  return (fieldsOf(choice)["index"] ?? 0) === 0;
}

/** Tool calls by their index; without one, a new id begins a new call and anything else goes to the last. */
function callPlaces(): { piece(call: unknown): StreamEvent; count(): number } {
  const places = new Set<number>();
  let last = -1;
  return {
    count: () => places.size,
    piece(call) {
      const fields = fieldsOf(call);
      const { name, arguments: given } = fieldsOf(fields["function"] ?? fields["custom"]);
      const id = textIn(fields["id"]);
      if (typeof fields["index"] === "number") last = fields["index"];
      else if (id !== undefined || last < 0) last += 1;
      places.add(last);
      const text = typeof given === "string" ? given : isFields(given) ? JSON.stringify(given) : undefined;
      const called = textIn(name);
      return {
        type: "tool-call",
        index: PLACE.calls + last,
        ...(id !== undefined && { id }),
        ...(called !== undefined && { name: called }),
        ...(text !== undefined && { arguments: text }),
      };
    },
  };
}

/** A failure that came with status 200. */
function throwIfError(fields: Fields, flavour: ChatFlavour): void {
  const { error } = fields;
  if (!isFields(error)) return;
  const message = textIn(error["message"]) ?? JSON.stringify(error);
  const status = Number(error["code"]);
  throw Number.isInteger(status) && status >= 400
    ? statusError(status, message, { provider: flavour.provider })
    : chatError("status", message, { provider: flavour.provider });
}
