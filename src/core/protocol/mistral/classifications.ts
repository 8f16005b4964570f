import type { JsonObject } from "../../json/json-tree.ts";
import { composedJson } from "../composed.ts";
import { operationFrom } from "../operation.ts";
import type { Protocol } from "../protocol.ts";
import { countIn, fieldsOf, textIn, textOrJson } from "../reading/lenient.ts";
import { replyMessage, textPart } from "../reading/parts.ts";
import { isWholeWith, replyReader } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { factsWith, listAt, objectWith, textAt } from "../reading/request.ts";
import { allBut } from "../reading/settings.ts";
import { failureIn } from "./failure.ts";

/** Texts sorted by a classifier of the user's own. Source: docs.mistral.ai/api (`/v1/classifications`), 2026-11. */
export const mistralClassifications: Protocol = operationFrom({
  operation: "classifications",
  path: "/v1/classifications",
  body: objectWith("A classification", "model", "input"),
  facts: (body) => factsWith(body, `${plural(textsIn(body).length, "text")} to classify`),
  messages: (body) => [{ role: "to classify", parts: textsIn(body).map(textPart) }],
  settings: allBut("model", "input"),
  project: replyReader({
    failure: (fields) => !Array.isArray(fields["results"]) && failureIn(fields),
    whole({ results, model }) {
      if (!Array.isArray(results)) return undefined;
      return { messages: results.map((targets) => replyMessage(targetLines(targets))), model: textIn(model) };
    },
  }),
  // Which classes there are is not known here.
  compose: (_draft, body) =>
    composedJson({
      id: "class-tapedeck",
      model: textAt(body, "model") ?? "",
      results: textsIn(body).map(() => ({})),
    }),
  isWhole: isWholeWith(({ results }) => Array.isArray(results)),
});

function textsIn(body: JsonObject): readonly string[] {
  const text = textAt(body, "input");
  return text === undefined ? listAt(body, "input").map(textOrJson) : [text];
}

/** "topic: delivery 0.97", a line for each target, with the class that has the highest score. */
function targetLines(targets: unknown): string {
  const lines = Object.entries(fieldsOf(targets)).map(([target, result]) => {
    const scores = Object.entries(fieldsOf(fieldsOf(result)["scores"]));
    const [best] = scores.map(([name, score]) => ({ name, score: countIn(score) ?? 0 })).sort(byScore);
    return best === undefined ? target : `${target}: ${best.name} ${best.score.toFixed(2)}`;
  });
  return lines.join("\n") || "nothing";
}

const byScore = (a: { readonly score: number }, b: { readonly score: number }): number => b.score - a.score;
