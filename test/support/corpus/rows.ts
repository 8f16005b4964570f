import { composeSample, type OperationRow } from "../../../src/core/protocol/table/row.ts";
import type { GeneratedCall, Maker, Makers, Place } from "./place.ts";
import { bytes, emptyRequest, jsonReply, jsonRequest } from "./wire.ts";

/** Calls of operations that are described by rows: one each, with the reply that the row makes up. */
export const rowMakers = (rows: readonly OperationRow[], name = "one"): Makers =>
  Object.fromEntries(rows.map((row) => [row.operation, makerOf(row, name)]));

const makerOf =
  (row: OperationRow, name: string): Maker =>
  (place) =>
    alternativesOf(row.call).map((call, index) =>
      callOf({ ...row, call }, place, index === 0 ? name : `${name}-${index}`),
    );

/** The paths of a row: one for each name in its first alternatives. */
function alternativesOf(call: OperationRow["call"]): readonly OperationRow["call"][] {
  const [all, names = ""] = /\(\?:([\w|-]+)\)/.exec(call) ?? [];
  return all === undefined
    ? [call]
    : names.split("|").map((name) => call.replace(all, name) as OperationRow["call"]);
}

function callOf(row: OperationRow, { base, voice }: Place, name: string): GeneratedCall {
  const { call, sample } = row;
  const [method = "GET", template = ""] = call.split(" ");
  const id = voice.id("one_");
  const path = template
    .replace("*", "")
    .replace("/upload/v\\d\\w*", "")
    .replace(/\(\?:([\w-]+)[^)]*\)/g, "$1")
    .replaceAll("[\\w-]+", "corpus")
    .replace("/models/:model:", "/models/corpus-1:")
    .replace(/:id\+?|\(\[[^)]*\)/, id)
    .replaceAll(":of", voice.id("of_"));
  const text = voice.text();
  const body = {
    name: text,
    model: "corpus-1",
    questions: { team: { type: "choice", criteria: { one: text } } },
    prompt: text,
    query: text,
    events: [{ content: [{ type: "text", text }], input: text }],
    modelInput: { prompt: text },
    instances: [{ prompt: text }],
    input: /decisions|systemone/.test(call)
      ? text
      : { prompt: text, query: text, texts: [text], documents: [text] },
  };
  // Uploads to Gemini begin below another path.
  const prefix = template.includes("upload") ? `/upload${base}` : base;
  const hasBody = method.startsWith("P");
  return {
    name,
    request: hasBody
      ? { ...jsonRequest(`${prefix}${path}`, body), method }
      : emptyRequest(method, `${prefix}${path}`),
    reply:
      sample === "content"
        ? { status: 200, contentType: "application/octet-stream", body: bytes("corpus") }
        : jsonReply(composeSample(row, { id, fields: {}, files: [] }, { text: "corpus" })),
  };
}
