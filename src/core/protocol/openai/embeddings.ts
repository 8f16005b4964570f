import { isJsonNumber, member, type JsonObject } from "../../json/json-tree.ts";
import { encodeBase64 } from "../../cassette/base64.ts";
import { composedJson } from "../composed.ts";
import { operationFrom } from "../operation.ts";
import type { Composed, Protocol, ReplyDraft } from "../protocol.ts";
import { countIn, fieldsOf, listOf, textIn } from "../reading/lenient.ts";
import { replyMessage, textPart } from "../reading/parts.ts";
import { replyReader } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { factsWith, itemsAt, objectWithModel, textAt, valueAt } from "../reading/request.ts";
import { allBut } from "../reading/settings.ts";
import { usageIn } from "../reading/usage.ts";
import { numbersIn, vectorFor, vectorWords } from "../reading/vectors.ts";

/** The length of `text-embedding-3-small`, and of most others that are asked for without one. */
const NUMBERS = 1536;

/** OpenAI embeddings, and everything that speaks like them. Source: platform.openai.com/docs/api-reference/embeddings, 2026-11. */
export const openaiEmbeddings: Protocol = operationFrom({
  operation: "embeddings",
  path: "/embeddings",
  body: objectWithModel("An embedding", "input"),
  facts: (body) => factsWith(body, `${plural(inputCount(body), "text")} to embed`),
  messages: (body) => [
    {
      role: "to embed",
      parts: inputsOf(body).map((input) =>
        textPart(typeof input === "string" ? input : plural(listOf(input).length, "token")),
      ),
    },
  ],
  settings: allBut("model", "input"),
  project: replyReader({
    whole({ data, usage, model }) {
      if (!Array.isArray(data)) return undefined;
      const sizes = data.map((one) => numbersIn(fieldsOf(one)["embedding"]));
      return {
        messages: [replyMessage(vectorWords(sizes))],
        usage: usageIn(usage, "embeddings"),
        model: textIn(model),
      };
    },
  }),
  compose,
});

/** One text, several, the tokens of one, or those of several. */
function inputsOf(body: JsonObject): readonly unknown[] {
  const input = valueAt(body, "input");
  const list = listOf(input);
  return !Array.isArray(input) || (list.length > 0 && list.every((one) => typeof one === "number"))
    ? [input]
    : list;
}

/** Without reading the inputs, of which there may be thousands. */
function inputCount(body: JsonObject): number {
  if (!Array.isArray(member(body, "input"))) return 1;
  const [first, ...others] = itemsAt(body, "input");
  if (first === undefined) return 0;
  return isJsonNumber(first) ? 1 : others.length + 1;
}

/** Embeddings of the right shape: unit vectors that are alike for alike inputs and mean nothing else. */
function compose(_draft: ReplyDraft, body: JsonObject): Composed {
  const size = countIn(valueAt(body, "dimensions"));
  const isBase64 = member(body, "encoding_format") === "base64";
  return composedJson({
    object: "list",
    data: inputsOf(body).map((input, index) => {
      const vector = vectorFor(JSON.stringify(input) ?? "", size, NUMBERS);
      const embedding = isBase64 ? encodeBase64(new Uint8Array(new Float32Array(vector).buffer)) : vector;
      return { object: "embedding", index, embedding };
    }),
    model: textAt(body, "model") ?? "",
    usage: { prompt_tokens: 0, total_tokens: 0 },
  });
}
