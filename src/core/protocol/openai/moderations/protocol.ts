import { bytesOf } from "../../../wire/text.ts";
import type { JsonObject } from "../../../json/json-tree.ts";
import { fieldsOf, listOf, present, textIn, type Fields } from "../../reading/lenient.ts";
import type { Message, Part, Projection, Protocol, ProtocolRequest } from "../../protocol.ts";
import { contentParts } from "../responses/content.ts";
import { mediaAt } from "../../reading/media.ts";
import { failureMessage, isWholeJson, projectJson } from "../../reading/reply.ts";
import { counted, factsWith, objectBody, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";

/** Source: platform.openai.com/docs/api-reference/moderations, 2026-11. */
export const openaiModerations: Protocol = {
  operation: "moderations",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/moderations"),
  facts: (request) => {
    const body = bodyOf(request);
    const label = `${counted(inputsOf(body).length, "input")} to moderate`;
    return { ...factsWith(body, label), streaming: false };
  },
  conversation: (request) => {
    const body = bodyOf(request);
    const parts = inputsOf(body).flatMap(inputParts);
    return { messages: [{ role: "to moderate", parts }], settings: settingsOf(body, ["model", "input"]) };
  },
  project: (reply) => projectJson(reply, readModeration),
  compose: (_draft, request) => {
    const body = bodyOf(request);
    const model = textIn(valueAt(body, "model")) ?? "omni-moderation-latest";
    const results = inputsOf(body).map(() => ({ flagged: false, categories: {}, category_scores: {} }));
    const reply = { id: "modr-tapedeck", model, results };
    return { contentType: "application/json", body: bytesOf(JSON.stringify(reply)) };
  },
  isWhole: isWholeJson,
};

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "A moderation", needs: ["input"] });
}

function inputsOf(body: JsonObject): readonly unknown[] {
  const input = valueAt(body, "input");
  return Array.isArray(input) ? listOf(input) : [input];
}

function inputParts(input: unknown): Part[] {
  const { image_url: image } = fieldsOf(input);
  const url = textIn(fieldsOf(image)["url"]) ?? textIn(image);
  return url === undefined ? contentParts([input]) : [mediaAt("image", url)];
}

function readModeration(fields: Fields): Projection | undefined {
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  if (!Array.isArray(fields["results"])) return undefined;
  const messages = listOf(fields["results"]).map((one) => verdict(fieldsOf(one)));
  return present({ messages, model: textIn(fields["model"]) });
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
  return {
    role: "reply",
    parts: [
      { type: "text", text: (flagged ?? named.length > 0) === true ? `flagged${reasons}` : "not flagged" },
    ],
  };
}
