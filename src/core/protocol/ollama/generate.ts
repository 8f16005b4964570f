import { localize } from "../../base/localize.ts";
import { createOperation, createObjectReader, shortenLabel, getText, getValue } from "../base/operation.ts";
import type { Protocol } from "../base/protocol.ts";
import { createMessages, createTextParts } from "../base/parts.ts";
import {
  createOllamaComposer,
  createOllamaFacts,
  createOllamaFamily,
  createOllamaSettings,
  readPictureParts,
} from "./own-api.ts";
import { createStreamRules } from "../base/events.ts";

const FAMILY = createOllamaFamily(({ thinking, response }) => ({ thinking, content: response }));

/**
 * Ollama's completion of a prompt. Without a prompt it loads or unloads a model.
 * Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11.
 */
export const ollamaGenerate: Protocol = createOperation({
  operation: "generate",
  path: "/api/generate",
  body: createObjectReader("Generating", "model"),
  facts: (body) =>
    createOllamaFacts(body, shortenLabel(getText(body, "prompt") ?? "") || localize("load the model")),
  messages: (body) => [
    ...createMessages("system", createTextParts(getText(body, "system"))),
    {
      role: "user",
      parts: [...createTextParts(getText(body, "prompt")), ...readPictureParts(getValue(body, "images"))],
    },
  ],
  settings: createOllamaSettings("system", "prompt", "images"),
  family: FAMILY,
  stream: createStreamRules(FAMILY),
  compose: createOllamaComposer((response) => ({ response })),
});
