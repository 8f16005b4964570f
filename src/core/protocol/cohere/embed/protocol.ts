import type { JsonObject } from "../../../json/json-tree.ts";
import { cohereFailure } from "../failure.ts";
import { composedJson } from "../../composed.ts";
import {
  countIn,
  fieldsOf,
  isFields,
  jsonText,
  listOf,
  present,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import { mediaAt } from "../../reading/media.ts";
import type { Part, Projection, Protocol, ProtocolRequest } from "../../protocol.ts";
import { projectJson, type Reply } from "../../reading/reply.ts";
import { counted, factsWith, objectBody, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { vectorFor, vectorWords } from "../../reading/vectors.ts";
import { textOf } from "../../../wire/text.ts";
import { jsonIn } from "../../reading/lenient.ts";

/** What `embed-v4.0` gives unless asked for fewer. */
const NUMBERS = 1536;

/** Cohere's embeddings: texts, pictures or both. Source: docs.cohere.com/reference/embed, 2026-11. */
export const cohereEmbed: Protocol = {
  operation: "embed",
  accepts: (method, pathname) => method === "POST" && /\/v[12]\/embed$/.test(pathname),
  facts: (request) => {
    const body = bodyOf(request);
    return { ...factsWith(body, embedLabel(body)), streaming: false };
  },
  conversation: (request) => {
    const body = bodyOf(request);
    return {
      messages: [{ role: "to embed", parts: partsToEmbed(body) }],
      settings: settingsOf(body, ["model", "texts", "images", "inputs"]),
    };
  },
  project: projectCohereEmbedded,
  compose: (_draft, request) => composedJson(vectorsFor(bodyOf(request))),
  isWhole: (body) => fieldsOf(jsonIn(textOf(body)))["embeddings"] !== undefined,
};

/** "3 texts to embed", "1 picture to embed". */
export function embedLabel(body: JsonObject): string {
  const texts = listOf(valueAt(body, "texts")).length;
  const images = listOf(valueAt(body, "images")).length;
  const inputs = listOf(valueAt(body, "inputs")).length;
  const counts = [
    ...(images > 0 ? [counted(images, "picture")] : []),
    ...(inputs > 0 ? [counted(inputs, "input")] : []),
  ];
  return `${[...(texts > 0 || counts.length === 0 ? [counted(texts, "text")] : []), ...counts].join(" and ")} to embed`;
}

export function partsToEmbed(body: JsonObject): Part[] {
  return [
    ...listOf(valueAt(body, "texts")).map((text): Part => ({
      type: "text",
      text: typeof text === "string" ? text : jsonText(text),
    })),
    ...listOf(valueAt(body, "images")).map((url) => mediaAt("image", textIn(url) ?? "")),
    ...listOf(valueAt(body, "inputs")).flatMap((input) => listOf(fieldsOf(input)["content"]).map(inputPart)),
  ];
}

function inputPart(value: unknown): Part {
  const fields = fieldsOf(value);
  const text = textIn(fields["text"]);
  const url = textIn(fieldsOf(fields["image_url"])["url"]);
  if (text !== undefined) return { type: "text", text };
  if (url !== undefined) return mediaAt("image", url);
  return { type: "other", description: textIn(fields["type"]) ?? "input", text: jsonText(value) };
}

/** Vectors come as one list, or as a list for each type that was asked for; base64 counts by its length. */
export function projectCohereEmbedded(reply: Reply): Projection {
  return projectJson(reply, readEmbedded);
}

function readEmbedded(fields: Fields): Projection | undefined {
  const { embeddings } = fields;
  if (embeddings === undefined) return cohereFailure(fields);
  const kinds = isFields(embeddings) ? Object.entries(embeddings) : [["", embeddings] as const];
  const words = kinds
    .filter(([, list]) => Array.isArray(list))
    .map(([kind, list]) => `${vectorWords(listOf(list).map(sizeOf))}${kind === "" ? "" : ` (${kind})`}`);
  const billed = fieldsOf(fieldsOf(fields["meta"])["billed_units"]);
  const inputTokens = countIn(billed["input_tokens"]);
  return present({
    messages: [{ role: "reply", parts: [{ type: "text" as const, text: words.join("; ") }] }],
    usage: inputTokens === undefined ? undefined : { inputTokens },
  });
}

function sizeOf(vector: unknown): number {
  if (typeof vector === "string") return Math.floor((vector.replace(/=+$/, "").length * 3) / 16);
  return listOf(vector).length;
}

function vectorsFor(body: JsonObject): object {
  const texts = listOf(valueAt(body, "texts")).map((text) => textIn(text) ?? jsonText(text));
  const size = countIn(valueAt(body, "output_dimension"));
  const things = partsToEmbed(body);
  const float = things.map((part) => vectorFor(jsonText(part), size, NUMBERS));
  return {
    id: "tapedeck",
    embeddings: { float },
    texts,
    response_type: "embeddings_by_type",
    meta: { api_version: { version: "2" }, billed_units: { input_tokens: 0 } },
  };
}

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "Embedding", needs: ["model"] });
}
