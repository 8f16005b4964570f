import { member, type JsonObject } from "../../json/json-tree.ts";
import { composedJson } from "../composed.ts";
import { geminiAddress } from "../model-address.ts";
import { operationFrom, type Operation } from "../operation.ts";
import type { Protocol } from "../protocol.ts";
import { countIn, fieldsOf, listOf } from "../reading/lenient.ts";
import { replyMessage } from "../reading/parts.ts";
import { replyReader } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { itemsAt, listAt, objectWith, textsAmong, valueAt } from "../reading/request.ts";
import { settingsOf } from "../reading/settings.ts";
import { usageIn } from "../reading/usage.ts";
import { vectorFor, vectorWords } from "../reading/vectors.ts";
import { messageFrom } from "./generate/content.ts";

/** What `gemini-embedding-001` gives unless asked for fewer. */
const NUMBERS = 3072;

const EMBED: Operation<JsonObject> = {
  operation: "embedContent",
  path: geminiAddress.pathOf("embedContent"),
  body: objectWith("Embedding", "content"),
  facts: (body, { path }) => {
    const count = member(body, "requests") === undefined ? 1 : itemsAt(body, "requests").length;
    const label = `${plural(count, "text")} to embed`;
    return { model: geminiAddress.modelIn(path), streaming: false, label };
  },
  messages: (body) => [
    {
      role: "to embed",
      parts: requestsIn(body).flatMap((one) => messageFrom(fieldsOf(one)["content"], "to embed").parts),
    },
  ],
  settings: (body) => settingsOf(body, ["content", "model"]),
  project: replyReader({
    whole({ embeddings, embedding, usageMetadata }) {
      const several = embeddings ?? (embedding === undefined ? undefined : [embedding]);
      if (!Array.isArray(several)) return undefined;
      const sizes = several.map((one) => listOf(fieldsOf(one)["values"]).length);
      return { messages: [replyMessage(vectorWords(sizes))], usage: usageIn(usageMetadata, "gemini") };
    },
  }),
  compose(_draft, body) {
    const [values] = vectorsFor(body);
    return composedJson({ embedding: { values } });
  },
};

/** Embedding one content. Source: ai.google.dev/api/embeddings, 2026-11. */
export const geminiEmbed: Protocol = operationFrom(EMBED);

/** Embedding several; each request in the list is as one alone. */
export const geminiBatchEmbed: Protocol = operationFrom({
  ...EMBED,
  operation: "batchEmbedContents",
  path: geminiAddress.pathOf("batchEmbedContents"),
  body: objectWith("Embedding", "requests"),
  settings(body) {
    const size = countIn(fieldsOf(listAt(body, "requests")[0])["outputDimensionality"]);
    return [
      ...(size === undefined ? [] : [["outputDimensionality", String(size)] as const]),
      ...settingsOf(body, ["requests", "model"]),
    ];
  },
  compose: (_draft, body) => composedJson({ embeddings: vectorsFor(body).map((values) => ({ values })) }),
});

/** The requests of a batch, or the one request that a body is. */
function requestsIn(body: JsonObject): readonly unknown[] {
  return Array.isArray(member(body, "requests"))
    ? listAt(body, "requests")
    : [{ content: valueAt(body, "content"), outputDimensionality: valueAt(body, "outputDimensionality") }];
}

function vectorsFor(body: JsonObject): number[][] {
  return requestsIn(body).map((one) => {
    const { content, outputDimensionality } = fieldsOf(one);
    const text = textsAmong(messageFrom(content, "user").parts).join("\n");
    return vectorFor(text, countIn(outputDimensionality), NUMBERS);
  });
}
