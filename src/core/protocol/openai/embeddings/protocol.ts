import { member, isJsonArray, isJsonNumber, type JsonObject } from "../../../json/json-tree.ts";
import { listOf } from "../../reading/lenient.ts";
import type { Part, Protocol, ProtocolRequest } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { counted, factsWith, objectBody, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { composeEmbeddings } from "./compose.ts";
import { projectEmbeddings } from "./project.ts";

/** OpenAI embeddings, and everything that speaks like them. Source: platform.openai.com/docs/api-reference/embeddings, 2026-11. */
export const openaiEmbeddings: Protocol = {
  operation: "embeddings",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/embeddings"),
  facts: (request) => {
    const body = bodyOf(request);
    return { ...factsWith(body, `${counted(inputCount(body), "text")} to embed`), streaming: false };
  },
  conversation: (request) => {
    const body = bodyOf(request);
    const parts = inputsOf(body).map((input): Part => ({
      type: "text",
      text: typeof input === "string" ? input : counted(listOf(input).length, "token"),
    }));
    return { messages: [{ role: "to embed", parts }], settings: settingsOf(body, ["model", "input"]) };
  },
  project: projectEmbeddings,
  compose: (_draft, request) => {
    const body = bodyOf(request);
    return composeEmbeddings(body, inputsOf(body));
  },
  isWhole: isWholeJson,
};

/** Azure names the model in the path. */
function bodyOf(request: ProtocolRequest): JsonObject {
  const needs = request.path.includes("/deployments/") ? ["input"] : ["model", "input"];
  return objectBody(request, { operation: "An embedding", needs });
}

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
  const input = member(body, "input");
  if (input === undefined || !isJsonArray(input)) return 1;
  const [first] = input;
  return first !== undefined && isJsonNumber(first) ? 1 : input.length;
}
