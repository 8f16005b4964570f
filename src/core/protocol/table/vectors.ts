import { localize } from "../../base/localize.ts";
import { encodeBase64 } from "../../base/base64.ts";
import { localizeCount } from "../../base/plural.ts";
import { encodeUtf8 } from "../../base/wire/text.ts";
import {
  readCount,
  readFields,
  isFields,
  stringifyJson,
  readList,
  readText,
  type Fields,
} from "../../base/lenient.ts";
import { createReplyMessage } from "../base/parts.ts";
import { createProtocol, type RowReply } from "./row.ts";
import { listFieldItems, getValuesAt, type RequestContent } from "./sent.ts";

/** Describes replies whose vectors are at the first of these pointers that has values. */
export const readVectors = (members: readonly string[], ...pointers: readonly string[]): RowReply => ({
  members,
  says(fields) {
    const found = pointers.map((pointer) => getValuesAt(fields, pointer)).find((values) => values.length > 0);
    return [createReplyMessage(describeVectors((found ?? []).map(countNumbers)))];
  },
});

/** Embeddings of OpenAI and compatible servers. Source: platform.openai.com/docs/api-reference/embeddings, 2026-11. */
export const openaiEmbeddings = createProtocol({
  operation: "embeddings",
  call: "POST */embeddings",
  label: "{#/input text} to embed",
  takes: { what: "An embedding", needs: ["model", "input"] },
  sends: [["to embed", "/input"]],
  reply: { ...readVectors(["data"], "/data/*/embedding"), usage: ["embeddings", "/usage"] },
  sample: ({ fields }) => ({
    object: "list",
    data: listFieldItems(fields["input"]).map((input, index) => {
      // The default dimensions of `text-embedding-3-small` and most other models.
      const vector = composeVector(stringifyJson(input), fields["dimensions"], 1536);
      const isBase64 = fields["encoding_format"] === "base64";
      const embedding = isBase64 ? encodeBase64(new Uint8Array(new Float32Array(vector).buffer)) : vector;
      return { object: "embedding", index, embedding };
    }),
    model: readText(fields["model"]) ?? "",
    usage: { prompt_tokens: 0, total_tokens: 0 },
  }),
});

/** Embeds texts, images, or both. The reply has one list of vectors, or one per type. Source: docs.cohere.com/reference/embed, 2026-11. */
export const cohereEmbed = createProtocol({
  operation: "embed",
  call: "POST */v[12]/embed",
  label: ["{#/texts text|#/images picture|#/inputs input} to embed", "0 texts to embed"],
  takes: { what: "An embedding", needs: ["model"] },
  sends: [["to embed", "/texts", "/images", "/inputs/*/content"]],
  reply: { members: ["embeddings"], says: describeKindsOfVectors, usage: ["cohere", "/meta"] },
  sample: ({ fields }) => ({
    id: "tapedeck",
    embeddings: {
      float: ["/texts/*", "/images/*", "/inputs/*"]
        .flatMap((pointer) => getValuesAt(fields, pointer))
        .map((input) => composeVector(stringifyJson(input), fields["output_dimension"], 1536)),
    },
    texts: getValuesAt(fields, "/texts/*"),
    response_type: "embeddings_by_type",
    meta: { api_version: { version: "2" }, billed_units: { input_tokens: 0 } },
  }),
});

function describeKindsOfVectors({ embeddings }: Fields): ReturnType<RowReply["says"]> {
  const kinds = isFields(embeddings) ? Object.entries(embeddings) : [["", embeddings] as const];
  const words = kinds
    .filter(([, list]) => Array.isArray(list))
    .map(
      ([kind, list]) =>
        `${describeVectors(readList(list).map(countNumbers))}${kind === "" ? "" : ` (${kind})`}`,
    );
  return [createReplyMessage(words.join("; "))];
}

const GEMINI_REPLY: RowReply = {
  ...readVectors(["embeddings", "embedding"], "/embeddings/*/values", "/embedding/values"),
  usage: ["gemini", "/usageMetadata"],
};
/** Composes a vector with the 3072 dimensions of `gemini-embedding-001`. */
const geminiVector = (request: unknown): object => {
  const { content, outputDimensionality } = readFields(request);
  return { values: composeVector(stringifyJson(content), outputDimensionality, 3072) };
};

/** Embeds one content, or a batch of such requests. Source: ai.google.dev/api/embeddings, 2026-11. */
export const geminiEmbed = createProtocol({
  operation: "embedContent",
  call: "POST */models/:model:embedContent",
  label: "1 text to embed",
  takes: { what: "An embedding", needs: ["content"] },
  sends: [["to embed", "/content/parts"]],
  reply: GEMINI_REPLY,
  sample: ({ fields }) => ({ embedding: geminiVector(fields) }),
});
export const geminiBatchEmbed = createProtocol({
  operation: "batchEmbedContents",
  call: "POST */models/:model:batchEmbedContents",
  label: "{#/requests text} to embed",
  takes: { what: "An embedding", needs: ["requests"] },
  sends: [["to embed", "/requests/*/content/parts"]],
  reply: GEMINI_REPLY,
  sample: ({ fields }) => ({ embeddings: readList(fields["requests"]).map(geminiVector) }),
});

/** Composes vectors with the 768 dimensions of `nomic-embed-text`. */
const ollamaVectors = ({ fields }: RequestContent, member: string): readonly (readonly number[])[] =>
  listFieldItems(fields[member]).map((text) => composeVector(stringifyJson(text), fields["dimensions"], 768));
const OLLAMA_REPLY: RowReply = {
  ...readVectors(["embeddings", "embedding"], "/embeddings/*", "/embedding"),
  usage: ["ollama", ""],
};

/** Embeds one or several texts; the older operation takes one text. Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11. */
export const ollamaEmbed = createProtocol({
  operation: "embed",
  call: "POST */api/embed",
  label: "{#/input text} to embed",
  takes: { what: "An embedding", needs: ["model", "input"] },
  sends: [["to embed", "/input"]],
  reply: OLLAMA_REPLY,
  sample: (sent) => ({
    model: sent.fields["model"],
    embeddings: ollamaVectors(sent, "input"),
    total_duration: 0,
    load_duration: 0,
    prompt_eval_count: 0,
  }),
});
export const ollamaEmbeddings = createProtocol({
  operation: "embeddings",
  call: "POST */api/embeddings",
  label: "{#/prompt text} to embed",
  takes: { what: "An embedding", needs: ["model", "prompt"] },
  sends: [["to embed", "/prompt"]],
  reply: OLLAMA_REPLY,
  sample: (sent) => ({ embedding: ollamaVectors(sent, "prompt")[0] ?? [] }),
});

/** Formats "3 embeddings, 768 numbers each", or all sizes if they differ. `sizes` are dimensions. */
export function describeVectors(sizes: readonly number[]): string {
  const lengths = [...new Set(sizes)];
  const count = localizeCount(sizes.length, "{0} embedding", "{0} embeddings");
  if (lengths.length === 0) return count;
  const isSame = sizes.length > 1 && lengths.length === 1;
  const numbers = lengths.join(", ");
  return isSame
    ? localize("{0}, {1} numbers each", count, numbers)
    : localize("{0}, {1} numbers", count, numbers);
}

const MOST_NUMBERS = 4096;

/** Derives a unit vector from a text. Equal texts get equal vectors; the numbers have no other meaning. */
export function composeVector(text: string, dimensions: unknown, defaultDimensions: number): number[] {
  const size = readCount(dimensions);
  const length =
    size !== undefined && Number.isInteger(size)
      ? Math.min(Math.max(size, 1), MOST_NUMBERS)
      : defaultDimensions;
  let state = 2_166_136_261;
  for (const byte of encodeUtf8(text)) state = Math.imul(state ^ byte, 16_777_619);
  const numbers = Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  });
  const norm = Math.hypot(...numbers) || 1;
  return numbers.map((number) => Math.fround(number / norm));
}

/** Counts the dimensions of a vector: a list of numbers, or base64 of 32-bit floats, which OpenAI's SDKs request. */
export function countNumbers(vector: unknown): number {
  if (typeof vector === "string") return Math.floor((vector.replace(/=+$/, "").length * 3) / 16);
  return readList(vector).length;
}
