import { composedJson } from "../composed.ts";
import { operationFrom } from "../operation.ts";
import type { Message, Part, Protocol } from "../protocol.ts";
import { fieldsOf, textIn, type Fields } from "../reading/lenient.ts";
import { mediaAt } from "../reading/media.ts";
import { replyMessage } from "../reading/parts.ts";
import { replyReader } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { factsWith, objectWith, someAt, textAt } from "../reading/request.ts";
import { allBut } from "../reading/settings.ts";
import { contentParts } from "./responses/items.ts";

/** Source: platform.openai.com/docs/api-reference/moderations, 2026-11. */
export const openaiModerations: Protocol = operationFrom({
  operation: "moderations",
  path: "/moderations",
  body: objectWith("A moderation", "input"),
  facts: (body) => factsWith(body, `${plural(someAt(body, "input").length, "input")} to moderate`),
  messages: (body) => [{ role: "to moderate", parts: someAt(body, "input").flatMap(inputParts) }],
  settings: allBut("model", "input"),
  project: replyReader({
    whole({ results, model }) {
      if (!Array.isArray(results)) return undefined;
      return { messages: results.map((one) => verdict(fieldsOf(one))), model: textIn(model) };
    },
  }),
  compose: (_draft, body) =>
    composedJson({
      id: "modr-tapedeck",
      model: textAt(body, "model") ?? "omni-moderation-latest",
      results: someAt(body, "input").map(() => ({ flagged: false, categories: {}, category_scores: {} })),
    }),
});

function inputParts(input: unknown): Part[] {
  const { image_url: image } = fieldsOf(input);
  const url = textIn(fieldsOf(image)["url"]) ?? textIn(image);
  return url === undefined ? contentParts([input]) : [mediaAt("image", url)];
}

/**
 * "not flagged", or "flagged: harassment 0.97, violence 0.91". Mistral names the categories alone (mistralai/client-python
 * `moderationobject.py`, 2026-11).
 */
function verdict({ flagged, categories, category_scores: scores }: Fields): Message {
  const named = Object.entries(fieldsOf(categories)).filter(([, isSo]) => isSo === true);
  const why = named.map(([name]) => {
    const score = fieldsOf(scores)[name];
    return typeof score === "number" ? `${name} ${score.toFixed(2)}` : name;
  });
  const reasons = why.length > 0 ? `: ${why.join(", ")}` : "";
  return replyMessage((flagged ?? named.length > 0) === true ? `flagged${reasons}` : "not flagged");
}
