import { countIn, fieldsOf, isFields, listOf, textIn, type Fields } from "../../reading/lenient.ts";
import { addPieces, wholeArguments, type PartialArguments } from "./partial-arguments.ts";

interface Candidate {
  readonly parts: Fields[];
  finishReason?: string;
  /** The call whose arguments are still coming in. */
  call?: { readonly call: Fields; readonly args: PartialArguments };
}

/** A stream read to its end, in the shape of the response that would have come without streaming. */
export function assemble(chunks: readonly unknown[]): Fields {
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
  const inOrder = [...candidates.entries()].sort(([a], [b]) => a - b).map(([, one]) => whole(one));
  return { ...rest, ...(inOrder.length > 0 && { candidates: inOrder }) };
}

function addTo(candidate: Candidate, chunk: Fields): void {
  candidate.finishReason = textIn(chunk["finishReason"]) ?? candidate.finishReason ?? "";
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
  return {
    content: { role: "model", parts: candidate.parts },
    ...(candidate.finishReason && { finishReason: candidate.finishReason }),
  };
}
