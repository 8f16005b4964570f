import type { JsonObject } from "../../json/json-tree.ts";
import { composedJson } from "../composed.ts";
import { operationFrom } from "../operation.ts";
import type { Protocol } from "../protocol.ts";
import { countIn, listOf, textIn, textOrJson } from "../reading/lenient.ts";
import { replyMessage, textPart } from "../reading/parts.ts";
import { replyReader } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { factsWith, objectWith, someAt, valueAt } from "../reading/request.ts";
import { usageIn } from "../reading/usage.ts";
import { vectorFor, vectorWords } from "../reading/vectors.ts";
import { errorOf, ollamaSettings } from "./own-api.ts";

/** What `nomic-embed-text` gives. */
const NUMBERS = 768;

/** Embedding one text or several. Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11. */
export const ollamaEmbed: Protocol = embedding("embed", "input");

/** The older way, one text a call. */
export const ollamaEmbeddings: Protocol = embedding("embeddings", "prompt");

/** `member` is where the texts are. */
function embedding(operation: string, member: "input" | "prompt"): Protocol {
  const textsIn = (body: JsonObject): readonly string[] => someAt(body, member).map(textOrJson);
  return operationFrom({
    operation,
    path: `/api/${operation}`,
    body: objectWith("Embedding", "model", member),
    facts: (body) => factsWith(body, `${plural(textsIn(body).length, "text")} to embed`),
    messages: (body) => [{ role: "to embed", parts: textsIn(body).map(textPart) }],
    settings: ollamaSettings(member),
    project: replyReader({
      failure: (fields) => fields["error"] && errorOf(fields),
      whole(fields) {
        const one = fields["embedding"];
        const embeddings = fields["embeddings"] ?? (one === undefined ? undefined : [one]);
        if (!Array.isArray(embeddings)) return undefined;
        return {
          messages: [replyMessage(vectorWords(embeddings.map((vector) => listOf(vector).length)))],
          usage: usageIn(fields, "ollama"),
          model: textIn(fields["model"]),
        };
      },
    }),
    compose(_draft, body) {
      const size = countIn(valueAt(body, "dimensions"));
      const vectors = textsIn(body).map((text) => vectorFor(text, size, NUMBERS));
      if (member === "prompt") return composedJson({ embedding: vectors[0] ?? [] });
      const spent = { total_duration: 0, load_duration: 0, prompt_eval_count: 0 };
      return composedJson({ model: valueAt(body, "model"), embeddings: vectors, ...spent });
    },
  });
}
