import { localize } from "../../base/localize.ts";
import {
  readCount,
  readFields,
  isFields,
  stringifyJson,
  readList,
  readText,
  type Fields,
} from "../../base/lenient.ts";
import { type EventReader, type ReplyEvent, type WireFamily } from "../base/events.ts";
import { createOtherPart } from "../base/parts.ts";
import { readGeminiPart } from "./content.ts";
import { createCallJoiner } from "./partial-calls.ts";

/** Gemini's contents, by the Gemini API and by Vertex AI. */
export const GEMINI_FAMILY: WireFamily = {
  counted: { last: [/"usageMetadata":\s*\{/, /"modelVersion":\s*"[^"]/] },
  usage: "gemini",
  reader: createContentReader,
  /** A response, or a JSON array of them. */
  chunksOf(fields, _reply, value) {
    if (Array.isArray(value)) return value.map(readFields);
    const isResponse = Array.isArray(fields["candidates"]) || isFields(fields["promptFeedback"]);
    return isResponse || fields["error"] ? [fields] : undefined;
  },
};

/** State of a candidate that is being read. */
interface Candidate {
  readonly calls: ReturnType<typeof createCallJoiner>;
  index: number;
  /** The kind of the last piece. Consecutive pieces of one kind form one part. */
  kind: "text" | "thinking" | undefined;
}

/** Choice number of the message that explains why a prompt was blocked. It follows all candidates. */
const BLOCKED = 1_000_000;

function createContentReader(): EventReader {
  const candidates = new Map<number, Candidate>();
  let isFinished = false;
  return {
    read(chunk) {
      const { error, usageMetadata: usage, promptFeedback } = chunk;
      const blocked = readText(readFields(promptFeedback)["blockReason"]);
      const events = readList(chunk["candidates"]).flatMap((one, place) =>
        candidateEvents(readFields(one), place, candidates),
      );
      isFinished ||= events.some(({ type }) => type === "finish");
      const refused = {
        parts: [createOtherPart(localize("blocked prompt"), blocked ?? "")],
        raw: promptFeedback,
      };
      return [
        ...(error ? [{ type: "error" as const, error }] : []),
        { type: "start", id: readText(chunk["responseId"]), model: readText(chunk["modelVersion"]) },
        ...(isFields(usage) ? [{ type: "usage" as const, usage }] : []),
        ...events,
        ...(blocked === undefined ? [] : [{ type: "part" as const, choice: BLOCKED, index: 0, ...refused }]),
        ...(blocked === undefined || isFinished ? [] : [{ type: "finish" as const, reason: blocked }]),
      ];
    },
    end: () =>
      [...candidates].flatMap(([choice, open]) =>
        open.calls.rest().flatMap((part) => partEvents(part, open).map((event) => ({ ...event, choice }))),
      ),
  };
}

function candidateEvents(
  candidate: Fields,
  place: number,
  candidates: Map<number, Candidate>,
): readonly ReplyEvent[] {
  const choice = readCount(candidate["index"]) ?? place;
  const open = candidates.get(choice) ?? { calls: createCallJoiner(), index: -1, kind: undefined };
  candidates.set(choice, open);
  const { parts, role } = readFields(candidate["content"]);
  const reason = readText(candidate["finishReason"]);
  const whole = [
    ...(Array.isArray(parts) ? readList(parts) : parts === undefined ? [] : [parts]).flatMap((part) =>
      open.calls.take(typeof part === "string" ? { text: part } : readFields(part)),
    ),
    ...(reason === undefined ? [] : open.calls.rest()),
  ];
  const spoken = readText(role);
  return [
    { type: "message", choice, role: spoken === "model" ? "assistant" : spoken },
    ...whole.flatMap((part) => partEvents(part, open)).map((event) => ({ ...event, choice })),
    ...(reason === undefined ? [] : [{ type: "finish" as const, choice, reason }]),
  ];
}

function partEvents(part: Fields, open: Candidate): readonly ReplyEvent[] {
  const signature = readText(part["thoughtSignature"]);
  const called = part["functionCall"];
  if (isFields(called)) {
    const { id, name, args } = called;
    const given = {
      id: readText(id),
      name: readText(name) ?? "",
      arguments: stringifyJson(args ?? {}),
      signature,
    };
    return [{ type: "call", index: nextIndex(open, undefined), ...given }];
  }
  const { text } = part;
  const isOther = Object.keys(part).some((name) => !/^(?:text|thought|thoughtSignature)$/.test(name));
  const read = typeof text === "string" || !isOther ? [] : readGeminiPart(part);
  if (read.length > 0) return [{ type: "part", index: nextIndex(open, undefined), parts: read, raw: part }];
  const content = readText(text) ?? "";
  // A signature without text belongs to thoughts that are not shown.
  if (content === "" && signature === undefined) return [];
  const type = part["thought"] === true ? "thinking" : "text";
  return [
    {
      type,
      index: nextIndex(open, type),
      text: content,
      signature,
      ...(content === "" && { isSilent: true }),
    },
  ];
}

function nextIndex(open: Candidate, kind: Candidate["kind"]): number {
  if (kind === undefined || open.kind !== kind) open.index += 1;
  open.kind = kind;
  return open.index;
}
