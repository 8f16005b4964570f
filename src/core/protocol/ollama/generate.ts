import { localize } from "../../base/localize.ts";
import { operationFrom, objectWith, shortLabel, textAt, valueAt } from "../base/operation.ts";
import type { Protocol } from "../base/protocol.ts";
import { messageOf, textParts } from "../base/parts.ts";
import { ollamaComposer, ollamaFacts, ollamaFamily, ollamaSettings, pictureParts } from "./own-api.ts";
import { streamRules } from "../base/events.ts";

const FAMILY = ollamaFamily(({ thinking, response }) => ({ thinking, content: response }));

/**
 * Ollama's completion of a prompt. Without a prompt it loads or unloads a model.
 * Source: github.com/ollama/ollama/blob/main/docs/api.md, 2026-11.
 */
export const ollamaGenerate: Protocol = operationFrom({
  operation: "generate",
  path: "/api/generate",
  body: objectWith("Generating", "model"),
  facts: (body) => ollamaFacts(body, shortLabel(textAt(body, "prompt") ?? "") || localize("load the model")),
  messages: (body) => [
    ...messageOf("system", textParts(textAt(body, "system"))),
    { role: "user", parts: [...textParts(textAt(body, "prompt")), ...pictureParts(valueAt(body, "images"))] },
  ],
  settings: ollamaSettings("system", "prompt", "images"),
  family: FAMILY,
  stream: streamRules(FAMILY),
  compose: ollamaComposer((response) => ({ response })),
});
