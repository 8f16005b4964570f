import type { JsonObject } from "../../../json/json-tree.ts";
import { composedJson } from "../../composed.ts";
import { countIn, jsonText, listOf, present, textIn, type Fields } from "../../reading/lenient.ts";
import { errorOf, usageFrom } from "../reply.ts";
import { ollamaSettings } from "../request.ts";
import type { Part, Projection, Protocol, ProtocolRequest } from "../../protocol.ts";
import { failureMessage, isWholeJson, projectJson } from "../../reading/reply.ts";
import { counted, factsWith, objectBody, valueAt } from "../../reading/request.ts";
import { vectorFor, vectorWords } from "../../reading/vectors.ts";

/** What `nomic-embed-text` gives. */
const NUMBERS = 768;

/** Embedding one text or several. Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11. */
export const ollamaEmbed: Protocol = embedding({ operation: "embed", path: "/api/embed", member: "input" });

/** The older way, one text a call. */
export const ollamaEmbeddings: Protocol = embedding({
  operation: "embeddings",
  path: "/api/embeddings",
  member: "prompt",
});

interface EmbedKind {
  readonly operation: string;
  readonly path: string;
  /** Where the texts are. */
  readonly member: "input" | "prompt";
}

function embedding({ operation, path, member }: EmbedKind): Protocol {
  const bodyOf = (request: ProtocolRequest): JsonObject =>
    objectBody(request, { operation: "Embedding", needs: ["model", member] });
  return {
    operation,
    accepts: (method, pathname) => method === "POST" && pathname.endsWith(path),
    facts: (request) => {
      const body = bodyOf(request);
      const label = `${counted(textsIn(body, member).length, "text")} to embed`;
      return { ...factsWith(body, label), streaming: false };
    },
    conversation: (request) => {
      const body = bodyOf(request);
      const parts = textsIn(body, member).map((text): Part => ({ type: "text", text }));
      return { messages: [{ role: "to embed", parts }], settings: ollamaSettings(body, [member]) };
    },
    project: (reply) => projectJson(reply, readEmbedded),
    compose: (_draft, request) => {
      const body = bodyOf(request);
      const asked = countIn(valueAt(body, "dimensions"));
      const vectors = textsIn(body, member).map((text) => vectorFor(text, asked, NUMBERS));
      if (member === "prompt") return composedJson({ embedding: vectors[0] ?? [] });
      return composedJson({
        model: valueAt(body, "model"),
        embeddings: vectors,
        total_duration: 0,
        load_duration: 0,
        prompt_eval_count: 0,
      });
    },
    isWhole: isWholeJson,
  };
}

function textsIn(body: JsonObject, name: string): readonly string[] {
  const input = valueAt(body, name);
  const list = Array.isArray(input) ? listOf(input) : [input];
  return list.map((one) => (typeof one === "string" ? one : jsonText(one)));
}

function readEmbedded(fields: Fields): Projection | undefined {
  if (fields["error"]) return { messages: [failureMessage(errorOf(fields))] };
  const several =
    fields["embeddings"] ?? (fields["embedding"] === undefined ? undefined : [fields["embedding"]]);
  if (!Array.isArray(several)) return undefined;
  const sizes = listOf(several).map((one) => listOf(one).length);
  return present({
    messages: [{ role: "reply", parts: [{ type: "text" as const, text: vectorWords(sizes) }] }],
    usage: usageFrom(fields),
    model: textIn(fields["model"]),
  });
}
