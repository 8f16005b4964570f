import {
  countIn,
  fieldsOf,
  inOrder,
  isFields,
  jsonIn,
  listOf,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import { messageOf, otherPart } from "../../reading/parts.ts";
import { reasonsOf, replyReader, withErrors, type StreamReading } from "../../reading/reply.ts";
import { usageIn } from "../../reading/usage.ts";
import type { Projection } from "../../protocol.ts";
import { messageFrom } from "./content.ts";

/** The neutral reading of a reply: a response, a stream of them, or a JSON array of them. */
export const projectGenerated = replyReader({
  whole(fields, _reply, value) {
    if (Array.isArray(value)) return { ...withErrors(projectChunks(value)), events: value.length };
    const isResponse = Array.isArray(fields["candidates"]) || isFields(fields["promptFeedback"]);
    return isResponse ? projectResponse(fields) : undefined;
  },
  stream: (events) => projectChunks(events.map(({ data }) => jsonIn(data))),
});

function projectChunks(chunks: readonly unknown[]): StreamReading {
  const errors = chunks.flatMap((chunk) => fieldsOf(chunk)["error"] || []);
  return { read: projectResponse(assemble(chunks)), errors };
}

function projectResponse(fields: Fields): Projection {
  const candidates = listOf(fields["candidates"]).map(fieldsOf);
  const blocked = textIn(fieldsOf(fields["promptFeedback"])["blockReason"]);
  const refused = blocked === undefined ? [] : [otherPart("blocked prompt", blocked)];
  return {
    messages: [
      ...candidates.map((candidate) => messageFrom(candidate["content"], "model")),
      ...messageOf("assistant", refused),
    ],
    usage: usageIn(fields["usageMetadata"], "gemini"),
    finishReason: reasonsOf(candidates, "finishReason") ?? blocked,
    model: textIn(fields["modelVersion"]),
  };
}

interface Candidate {
  readonly parts: Fields[];
  finishReason?: string | undefined;
  /** The call whose arguments are still coming in. */
  call?: { readonly call: Fields; readonly args: PartialArguments };
}

/** A stream read to its end, in the shape of the response that would have come without streaming. */
function assemble(chunks: readonly unknown[]): Fields {
  const candidates = new Map<number, Candidate>();
  let rest: Fields = {};
  for (const chunk of chunks.map(fieldsOf)) {
    const { candidates: news, ...others } = chunk;
    rest = { ...rest, ...others };
    for (const [place, candidate] of listOf(news).map(fieldsOf).entries()) {
      const index = countIn(candidate["index"]) ?? place;
      const known = candidates.get(index) ?? { parts: [] };
      candidates.set(index, known);
      addTo(known, candidate);
    }
  }
  return { ...rest, candidates: inOrder(candidates).map(whole) };
}

function addTo(candidate: Candidate, chunk: Fields): void {
  candidate.finishReason = textIn(chunk["finishReason"]) ?? candidate.finishReason;
  for (const part of listOf(fieldsOf(chunk["content"])["parts"]).map(fieldsOf)) addPart(candidate, part);
}

/** Texts of one kind that follow each other are one text in pieces. */
function addPart(candidate: Candidate, part: Fields): void {
  const called = part["functionCall"];
  if (isFields(called)) return addCall(candidate, called);
  const last = candidate.parts.at(-1);
  const joins =
    typeof last?.["text"] === "string" &&
    typeof part["text"] === "string" &&
    Boolean(last["thought"]) === Boolean(part["thought"]);
  if (joins)
    candidate.parts.splice(-1, 1, { ...last, text: `${String(last["text"])}${String(part["text"])}` });
  else candidate.parts.push(part);
}

function addCall(candidate: Candidate, called: Fields): void {
  const goesOn = called["willContinue"] === true;
  const { call } = candidate;
  if (textIn(called["name"]) !== undefined || call === undefined) {
    close(candidate);
    if (!goesOn && called["partialArgs"] === undefined) {
      candidate.parts.push({ functionCall: called });
      return;
    }
    candidate.call = { call: called, args: new Map() };
  }
  addPieces(candidate.call?.args ?? new Map(), called["partialArgs"]);
}

function close(candidate: Candidate): void {
  if (candidate.call === undefined) return;
  const { call, args } = candidate.call;
  candidate.parts.push({ functionCall: { ...call, args: wholeArguments(args) } });
  delete candidate.call;
}

function whole(candidate: Candidate): Fields {
  close(candidate);
  return { content: { role: "model", parts: candidate.parts }, finishReason: candidate.finishReason };
}

/** Arguments of a call that Vertex streams value by value. */
type PartialArguments = Map<string, { readonly path: readonly (string | number)[]; value: unknown }>;

/**
 * Takes in pieces of arguments: each names its place (`$.operations[1].price`); a text may come in several pieces.
 * Source: docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling ("Streaming function call
 * arguments"), 2026-11.
 */
function addPieces(open: PartialArguments, pieces: unknown): void {
  for (const piece of listOf(pieces).map(fieldsOf)) {
    const place = textIn(piece["jsonPath"]);
    if (place === undefined) continue;
    const before = open.get(place)?.value;
    const value = valueOf(piece);
    const joined = typeof before === "string" && typeof value === "string" ? before + value : value;
    open.set(place, { path: stepsOf(place), value: joined });
  }
}

/** The arguments as they are so far. */
function wholeArguments(open: PartialArguments): unknown {
  let root: unknown;
  for (const { path, value } of open.values()) root = placeValue(root, path, value);
  return root ?? {};
}

function valueOf(piece: Fields): unknown {
  if ("nullValue" in piece) return null;
  return piece["stringValue"] ?? piece["numberValue"] ?? piece["boolValue"] ?? "";
}

function stepsOf(place: string): (string | number)[] {
  return [...place.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/g)].map(
    ([, name, index, quoted]) => name ?? quoted ?? Number(index),
  );
}

/** Beyond this a list's place is noise, not an argument. */
const MOST_ITEMS = 10_000;

function placeValue(
  inside: unknown,
  [step, ...steps]: readonly (string | number)[],
  value: unknown,
): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list = [...listOf(inside)];
    if (step < MOST_ITEMS) list[step] = placeValue(list[step], steps, value);
    return list;
  }
  const fields = fieldsOf(inside);
  const known = Object.hasOwn(fields, step) ? fields[step] : undefined;
  return { ...fields, [step]: placeValue(known, steps, value) };
}
