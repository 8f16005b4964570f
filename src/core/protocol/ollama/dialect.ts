import { compatibleOperations } from "../openai/compatible.ts";
import { ollamaChat } from "./chat/protocol.ts";
import { ollamaEmbed, ollamaEmbeddings } from "./embed/protocol.ts";
import { ollamaGenerate } from "./generate/protocol.ts";
import type { Dialect } from "../protocol.ts";
import { refusal } from "../refusal.ts";

/** Ollama's client shows the text under `error`. Source: ollama-js `utils.ts`, 2026-11. */
export const ollamaDialect: Dialect = {
  name: "ollama",
  operations: [ollamaChat, ollamaGenerate, ollamaEmbed, ollamaEmbeddings, ...compatibleOperations],
  refuse: (error) => refusal(error, (code, message) => ({ error: message, code })),
};
