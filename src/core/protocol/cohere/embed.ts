import type { JsonObject } from "../../json/json-tree.ts";
import { composedJson } from "../composed.ts";
import { operationFrom } from "../operation.ts";
import type { Part, Protocol } from "../protocol.ts";
import { countIn, fieldsOf, isFields, jsonText, listOf, textIn, textOrJson } from "../reading/lenient.ts";
import { mediaAt } from "../reading/media.ts";
import { otherPart, replyMessage, textPart } from "../reading/parts.ts";
import { isWholeWith, replyReader } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { factsWith, listAt, objectWith, valueAt } from "../reading/request.ts";
import { allBut } from "../reading/settings.ts";
import { usageIn } from "../reading/usage.ts";
import { numbersIn, vectorFor, vectorWords } from "../reading/vectors.ts";
import { failureIn } from "./failure.ts";

/** What `embed-v4.0` gives unless asked for fewer. */
const NUMBERS = 1536;

/** Vectors come as one list, or as a list for each type that was asked for. */
export const projectCohereEmbedded = replyReader({
  failure: (fields) => fields["embeddings"] === undefined && failureIn(fields),
  whole({ embeddings, meta }) {
    if (embeddings === undefined) return undefined;
    const kinds = isFields(embeddings) ? Object.entries(embeddings) : [["", embeddings] as const];
    const words = kinds
      .filter(([, list]) => Array.isArray(list))
      .map(([kind, list]) => `${vectorWords(listOf(list).map(numbersIn))}${kind === "" ? "" : ` (${kind})`}`);
    const { billed_units: billed } = fieldsOf(meta);
    return { messages: [replyMessage(words.join("; "))], usage: usageIn({ billed_units: billed }, "cohere") };
  },
});

/** Cohere's embeddings: texts, pictures or both. Source: docs.cohere.com/reference/embed, 2026-11. */
export const cohereEmbed: Protocol = operationFrom({
  operation: "embed",
  path: /\/v[12]\/embed$/,
  body: objectWith("Embedding", "model"),
  facts: (body) => factsWith(body, embedLabel(body)),
  messages: (body) => [{ role: "to embed", parts: partsToEmbed(body) }],
  settings: allBut("model", "texts", "images", "inputs"),
  project: projectCohereEmbedded,
  compose: (_draft, body) => {
    const size = countIn(valueAt(body, "output_dimension"));
    return composedJson({
      id: "tapedeck",
      embeddings: { float: partsToEmbed(body).map((part) => vectorFor(jsonText(part), size, NUMBERS)) },
      texts: listAt(body, "texts").map((text) => textIn(text) ?? jsonText(text)),
      response_type: "embeddings_by_type",
      meta: { api_version: { version: "2" }, billed_units: { input_tokens: 0 } },
    });
  },
  isWhole: isWholeWith(({ embeddings }) => embeddings !== undefined),
});

/** "3 texts to embed", "1 picture to embed". */
export function embedLabel(body: JsonObject): string {
  const names = { texts: "text", images: "picture", inputs: "input" };
  const counts = Object.entries(names).flatMap(([name, one]) => {
    const { length } = listAt(body, name);
    return length > 0 ? [plural(length, one)] : [];
  });
  return `${counts.join(" and ") || "0 texts"} to embed`;
}

export function partsToEmbed(body: JsonObject): Part[] {
  return [
    ...listAt(body, "texts").map((text) => textPart(textOrJson(text))),
    ...listAt(body, "images").map((url) => mediaAt("image", textIn(url) ?? "")),
    ...listAt(body, "inputs").flatMap((input) => listOf(fieldsOf(input)["content"]).map(inputPart)),
  ];
}

function inputPart(value: unknown): Part {
  const fields = fieldsOf(value);
  const text = textIn(fields["text"]);
  const url = textIn(fieldsOf(fields["image_url"])["url"]);
  if (text !== undefined) return textPart(text);
  if (url !== undefined) return mediaAt("image", url);
  return otherPart(textIn(fields["type"]) ?? "input", jsonText(value));
}
