import { compatibleOperations } from "./compatible.ts";
import { ollamaChat } from "./ollama-chat/protocol.ts";
import { ollamaEmbed, ollamaEmbeddings } from "./ollama-embed/protocol.ts";
import { ollamaGenerate } from "./ollama-generate/protocol.ts";
import type { Dialect } from "./protocol.ts";
import { refusal } from "./refusal.ts";

/** Ollama's client shows the text under `error`. Source: ollama-js `utils.ts`, 2026-11. */
export const ollamaDialect: Dialect = {
  name: "ollama",
  operations: [ollamaChat, ollamaGenerate, ollamaEmbed, ollamaEmbeddings, ...compatibleOperations],
  refuse: (error) => refusal(error, (code, message) => ({ error: message, code })),
};
