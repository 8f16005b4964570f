import { composedJson } from "./composed.ts";
import { failureIn } from "./cohere/failure.ts";
import { operationFrom } from "./operation.ts";
import type { Part, Protocol } from "./protocol.ts";
import { countIn, fieldsOf, jsonText, textIn } from "./reading/lenient.ts";
import { replyMessage, textPart } from "./reading/parts.ts";
import { isWholeWith, replyReader } from "./reading/reply.ts";
import { plural } from "../plural.ts";
import { factsWith, listAt, objectWith, shortLabel, textAt, valueAt } from "./reading/request.ts";
import { allBut } from "./reading/settings.ts";
import { usageIn } from "./reading/usage.ts";

/**
 * Documents in the order in which they answer a question. Cohere's wire, which Together, OpenRouter and servers of open
 * models speak as well. Sources: cohere-python `v2/raw_client`, together-python `resources/rerank`, openrouter
 * typescript-sdk `funcs/rerank`, 2026-11.
 */
export const rerank: Protocol = operationFrom({
  operation: "rerank",
  path: "/rerank",
  body: objectWith("A ranking", "query", "documents"),
  facts(body) {
    const query = textAt(body, "query");
    const documents = plural(listAt(body, "documents").length, "document");
    return factsWith(body, query === undefined ? `${documents} to rank` : shortLabel(query));
  },
  messages: (body) => [
    { role: "user", parts: [textPart(textAt(body, "query") ?? "")] },
    { role: "to rank", parts: listAt(body, "documents").map(documentPart) },
  ],
  settings: allBut("model", "query", "documents"),
  project: replyReader({
    failure: (fields) => !Array.isArray(fields["results"]) && (fields["error"] ?? failureIn(fields)),
    whole({ results, usage, meta, model }) {
      if (!Array.isArray(results)) return undefined;
      return {
        messages: [replyMessage(results.map(rankLine).join("\n") || "nothing")],
        usage: usageIn({ ...fieldsOf(usage), meta }, "rerank"),
        model: textIn(model),
      };
    },
  }),
  // In the order in which the documents were given.
  compose(_draft, body) {
    const documents = listAt(body, "documents");
    const most = countIn(valueAt(body, "top_n")) ?? documents.length;
    const results = documents.slice(0, most).map((_, index) => ({ index, relevance_score: 0 }));
    return composedJson({ id: "tapedeck", object: "rerank", model: textAt(body, "model"), results });
  },
  isWhole: isWholeWith(({ results }) => Array.isArray(results)),
});

/** A text, or an object of which Cohere's first version reads `text`. */
function documentPart(document: unknown): Part {
  const text = typeof document === "string" ? document : textIn(fieldsOf(document)["text"]);
  return textPart(text ?? jsonText(document));
}

/** "document 3: 0.999", with the document where it was asked to be returned. */
function rankLine(result: unknown): string {
  const { index, relevance_score: score, document } = fieldsOf(result);
  const text = textIn(document) ?? textIn(fieldsOf(document)["text"]);
  const said = text === undefined ? "" : ` ${shortLabel(text)}`;
  return `document ${String(index)}: ${typeof score === "number" ? String(score) : "?"}${said}`;
}
