import { openaiDialect } from "./dialect.ts";
import type { Protocol } from "../protocol.ts";

/** What providers of other dialects offer for clients of OpenAI, under paths of their own. */
const COMPATIBLE = new Set(["chat.completions", "completions", "embeddings", "responses"]);

export const compatibleOperations: readonly Protocol[] = openaiDialect.operations.filter(({ operation }) =>
  COMPATIBLE.has(operation),
);
