import { countIn, fieldsOf, isFields, listOf, present, textIn, type Fields } from "../../reading/lenient.ts";
import type { Projection, Usage } from "../../protocol.ts";
import { failureMessage, projectJson, type Reply } from "../../reading/reply.ts";
import { counted } from "../../reading/request.ts";
import { toldCost } from "../../reading/told-cost.ts";

/** The neutral reading of embeddings: how many there are and how long, for nobody reads their numbers. */
export function projectEmbeddings(reply: Reply): Projection {
  return projectJson(reply, readEmbeddings);
}

function readEmbeddings(fields: Fields): Projection | undefined {
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  if (!Array.isArray(fields["data"])) return undefined;
  const sizes = listOf(fields["data"]).map((one) => numbersIn(fieldsOf(one)["embedding"]));
  return present({
    messages: [{ role: "reply", parts: [{ type: "text" as const, text: embeddingWords(sizes) }] }],
    usage: usageFrom(fields["usage"]),
    model: textIn(fields["model"]),
  });
}

/** "3 embeddings, 1536 numbers each"; every length where they differ. `sizes` are counts of numbers. */
export function embeddingWords(sizes: readonly number[]): string {
  const lengths = [...new Set(sizes)];
  const each = sizes.length === 1 ? "" : lengths.length === 1 ? " each" : "";
  const numbers = lengths.length === 0 ? "" : `, ${lengths.join(", ")} numbers${each}`;
  return `${counted(sizes.length, "embedding")}${numbers}`;
}

/** A list of numbers, or base64 of 32-bit floats, for which the official SDKs ask unless told otherwise. */
function numbersIn(embedding: unknown): number {
  if (typeof embedding === "string") return Math.floor((embedding.replace(/=+$/, "").length * 3) / 16);
  return listOf(embedding).length;
}

/** Voyage counts `total_tokens` only. */
function usageFrom(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  return present({
    inputTokens: countIn(value["prompt_tokens"]) ?? countIn(value["total_tokens"]),
    costUsd: toldCost(value),
  });
}
