import { localize } from "../../base/localize.ts";
import { localizeCount } from "../../base/plural.ts";
import { readCount, readFields, readList, readText, type Fields } from "../../base/lenient.ts";
import { createOtherPart, createReplyMessage, createTextPart } from "../base/parts.ts";
import { shortenLabel } from "../base/operation.ts";
import type { ConversationMessage } from "../base/protocol.ts";
import { createProtocol, type OperationRow } from "./row.ts";
import { listFieldItems, getFieldText } from "./sent.ts";

/**
 * Ranks documents by relevance. Cohere's API, which Together, OpenRouter, and servers of open models support as well.
 * Sources: cohere-python `v2/raw_client`, together-python `resources/rerank`, openrouter
 * typescript-sdk `funcs/rerank`, 2026-11.
 */
export const RANKING: Omit<OperationRow, "call"> = {
  operation: "rerank",
  label: ["{/query}", "{#/documents document} to rank", "documents to rank"],
  sends: [
    ["user", "/query"],
    ["to rank", "/documents"],
  ],
  reply: {
    members: ["results"],
    says: ({ results }) => describeRanks(results),
    usage: ["rerank", "", "/usage"],
  },
  sample({ fields }) {
    const results = composeRanks(readList(fields["documents"]), fields["top_n"]);
    return { id: "tapedeck", object: "rerank", model: readText(fields["model"]), results };
  },
};
export const rerank = createProtocol({
  ...RANKING,
  call: "POST */rerank",
  takes: { what: "A ranking", needs: ["query", "documents"] },
});

/** Composes the first `most` results; all if it is not a number. Keeps the order of the documents. */
export const composeRanks = (documents: readonly unknown[], most: unknown): readonly object[] =>
  documents.slice(0, readCount(most) ?? documents.length).map((_, index) => ({ index, relevance_score: 0 }));

export const describeRanks = (results: unknown): readonly ConversationMessage[] => [
  createReplyMessage(readList(results).map(rankLine).join("\n") || localize("nothing")),
];

/** Formats a result as "document 3: 0.999", followed by the document if the request asked for it. */
function rankLine(result: unknown): string {
  const { index, relevance_score: score, document } = readFields(result);
  const text = readText(document) ?? readText(readFields(document)["text"]);
  const excerpt = text === undefined ? "" : ` ${shortenLabel(text)}`;
  return localize(
    "document {0}: {1}",
    String(index),
    (typeof score === "number" ? String(score) : "?") + excerpt,
  );
}

/** Moderates texts. Mistral returns only the categories. Sources: platform.openai.com/docs/api-reference/moderations, mistralai/client-python `moderationobject.py`, 2026-11. */
export const moderations = createProtocol({
  operation: "moderations",
  call: "POST */moderations",
  label: "{#/input input} to moderate",
  takes: { what: "A moderation", needs: ["input"] },
  sends: [["to moderate", "/input"]],
  reply: {
    members: ["results"],
    says: ({ results }) => readList(results).map((one) => createReplyMessage(verdict(readFields(one)))),
  },
  sample: ({ fields }) => ({
    id: "modr-tapedeck",
    model: readText(fields["model"]) ?? "omni-moderation-latest",
    results: listFieldItems(fields["input"]).map(() => ({
      flagged: false,
      categories: {},
      category_scores: {},
    })),
  }),
});

/** Formats a result: "not flagged", or "flagged: harassment 0.97, violence 0.91". */
function verdict({ flagged, categories, category_scores: scores }: Fields): string {
  const named = Object.entries(readFields(categories)).filter(([, isSo]) => isSo === true);
  const why = named.map(([name]) => {
    const score = readFields(scores)[name];
    return typeof score === "number" ? `${name} ${score.toFixed(2)}` : name;
  });
  const reasons = why.length > 0 ? `: ${why.join(", ")}` : "";
  return (flagged ?? named.length > 0) === true ? localize("flagged{0}", reasons) : localize("not flagged");
}

/** Classifies texts with the user's own classifier. Source: docs.mistral.ai/api (`/v1/classifications`), 2026-11. */
export const classifications = createProtocol({
  operation: "classifications",
  call: "POST */v1/classifications",
  label: "{#/input text} to classify",
  takes: { what: "A classification", needs: ["model", "input"] },
  sends: [["to classify", "/input"]],
  reply: {
    members: ["results"],
    says: ({ results }) => readList(results).map((targets) => createReplyMessage(targetLines(targets))),
  },
  // The classes of the user's classifier are unknown.
  sample: ({ fields }) => ({
    id: "class-tapedeck",
    model: readText(fields["model"]) ?? "",
    results: listFieldItems(fields["input"]).map(() => ({})),
  }),
});

/** Formats one line per target with the class that has the highest score: "topic: delivery 0.97". */
function targetLines(targets: unknown): string {
  const lines = Object.entries(readFields(targets)).map(([target, result]) => {
    const scores = Object.entries(readFields(readFields(result)["scores"]));
    const [best] = scores
      .map(([name, score]) => ({ name, score: readCount(score) ?? 0 }))
      .sort((a, b) => b.score - a.score);
    return best === undefined ? target : `${target}: ${best.name} ${best.score.toFixed(2)}`;
  });
  return lines.join("\n") || localize("nothing");
}

/** Reads the text of a document or an image, page by page. Source: mistralai/client-python `ocr.py`, 2026-11. */
export const ocr = createProtocol({
  operation: "ocr",
  call: "POST */ocr",
  label: ["{/document/document_name} to read", "document to read"],
  takes: { what: "Text recognition", needs: ["document"] },
  sends: [["to read", "/document"]],
  reply: {
    members: ["pages"],
    says({ pages, document_annotation: note }) {
      const texts = readList(pages).map((page) =>
        createTextPart(readText(readFields(page)["markdown"]) ?? ""),
      );
      const annotation = readText(note);
      const noted = annotation === undefined ? [] : [createOtherPart("annotation", annotation)];
      return [{ role: "reply", parts: [...texts, ...noted] }];
    },
  },
  sample: ({ fields }, { text }) => ({
    pages: [{ index: 0, markdown: text, images: [], dimensions: null }],
    model: readText(fields["model"]) ?? "",
    usage_info: { pages_processed: 0, doc_size_bytes: null },
  }),
});

const META = { api_version: { version: "1" } };

/** Converts a text to the tokens of a model, and back. Sources: docs.cohere.com/reference/tokenize and /detokenize, 2026-11. */
export const tokenize = createProtocol({
  operation: "tokenize",
  call: "POST */v1/tokenize",
  label: ["{/text}", "text to cut"],
  takes: { what: "A tokenizer", needs: ["text"] },
  sends: [["to cut into tokens", "/text"]],
  reply: {
    members: ["tokens"],
    says: ({ tokens }) => [
      createReplyMessage(
        localizeCount(
          readList(tokens).length,
          "{0} token: {1}",
          "{0} tokens: {1}",
          readList(tokens).map(String).join(" "),
        ),
      ),
    ],
  },
  sample: () => ({ tokens: [], token_strings: [], meta: META }),
});
export const detokenize = createProtocol({
  operation: "detokenize",
  call: "POST */v1/detokenize",
  label: "{#/tokens token} to join",
  takes: { what: "A tokenizer", needs: ["tokens"] },
  sends: [["to join", "/tokens"]],
  reply: {
    members: ["text"],
    says: (fields) => [createReplyMessage(getFieldText(fields, "/text") ?? localize("an empty text"))],
  },
  sample: (_sent, { text }) => ({ text, meta: META }),
});
