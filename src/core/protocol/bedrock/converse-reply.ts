import {
  readCount,
  readFields,
  isFields,
  readList,
  readText,
  writeTextOrJson,
  type Fields,
} from "../../base/lenient.ts";
import type { EventReader, ReplyEvent, WireFamily } from "../base/events.ts";
import { readBlockParts } from "./converse-message.ts";
import { readEventFailure, readWholeFailure } from "./event-messages.ts";

/** Bedrock's converse. */
export const CONVERSE_FAMILY: WireFamily = {
  usage: "bedrock",
  reader: createConverseReader,
  chunksOf: splitMessage,
  failureIn: readWholeFailure,
};

/** Splits a whole message into the events of its stream, each under its name, as in Nova's chunks. */
function splitMessage({ output, stopReason, usage }: Fields): readonly Fields[] | undefined {
  const { message } = readFields(output);
  if (!isFields(message)) return undefined;
  return [
    { messageStart: { role: message["role"] } },
    ...readList(message["content"]).map((start, contentBlockIndex) => ({
      contentBlockStart: { contentBlockIndex, start },
    })),
    { messageStop: { stopReason } },
    { metadata: { usage } },
  ];
}

function createConverseReader(): EventReader {
  /** Calls without arguments so far. */
  const bare = new Set<number>();
  return {
    read(chunk, name, data = "") {
      const error = name === undefined ? undefined : readEventFailure({ event: name, data });
      if (error !== undefined) return [{ type: "error", error }];
      const [entry] = Object.entries(chunk);
      const [type, event] = name === undefined ? [entry?.[0], readFields(entry?.[1])] : [name, chunk];
      const index = readCount(event["contentBlockIndex"]) ?? 0;
      switch (type ?? "") {
        case "messageStart":
          return [{ type: "message", role: readText(event["role"]) }];
        case "contentBlockStart":
          return blockEvents(event["start"], index, bare);
        case "contentBlockDelta":
          return deltaEvents(readFields(event["delta"]), index, bare);
        case "messageStop":
          return [endEvent(readText(event["stopReason"]))];
        case "metadata":
          return [{ type: "usage", usage: readFields(event["usage"]) }];
        default:
          return [];
      }
    },
    end: () => [...bare].map((index) => ({ type: "call", index, arguments: "{}" })),
  };
}

function endEvent(reason: string | undefined): ReplyEvent {
  return reason === undefined
    ? { type: "finish", reason: "end_turn", only: "stream" }
    : { type: "finish", reason };
}

function blockEvents(block: unknown, index: number, bare: Set<number>): readonly ReplyEvent[] {
  const { text, toolUse, reasoningContent } = readFields(block);
  if (typeof text === "string") return [{ type: "text", index, text, isSilent: true }];
  if (isFields(toolUse)) {
    const { toolUseId, name, input } = toolUse;
    if (input === undefined || input === null) bare.add(index);
    const given = bare.has(index) ? undefined : writeTextOrJson(input);
    return [{ type: "call", index, id: readText(toolUseId), name: readText(name), arguments: given }];
  }
  const thought = readFields(readFields(reasoningContent)["reasoningText"])["text"];
  if (typeof thought === "string") return [{ type: "thinking", index, text: thought, isSilent: true }];
  return [{ type: "part", index, parts: readBlockParts(block), raw: block }];
}

/** Reads a delta. Signatures are not shown. */
function deltaEvents(delta: Fields, index: number, bare: Set<number>): readonly ReplyEvent[] {
  const { text, toolUse, reasoningContent } = delta;
  if (typeof text === "string") return [{ type: "text", index, text, isSilent: true }];
  if (isFields(toolUse)) {
    bare.delete(index);
    return [{ type: "call", index, arguments: readText(toolUse["input"]) ?? "" }];
  }
  const { text: thought, redactedContent } = readFields(reasoningContent);
  if (redactedContent !== undefined)
    return [{ type: "part", index, parts: readBlockParts(delta), raw: delta }];
  return typeof thought === "string" ? [{ type: "thinking", index, text: thought, isSilent: true }] : [];
}
