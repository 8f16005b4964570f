import type { ChatClient } from "../../chat-client.ts";
import { realSurroundings, type Surroundings } from "../../surroundings.ts";
import { loadPeer } from "../../check-options.ts";
import { CONNECTION, createAdapter, expectConnection } from "../adapter.ts";
import type { OllamaConnection } from "./sdk.ts";
import { foldOllama } from "./reading.ts";
import { buildOllamaBody } from "./request.ts";

export type { OllamaConnection, OllamaSdk } from "./sdk.ts";

export interface OllamaOptions extends OllamaConnection {
  readonly model: string;
  readonly surroundings?: Partial<Surroundings>;
}

/** Makes a client for Ollama. @throws ChatError "validation" for invalid options */
export function createOllama(options: OllamaOptions): ChatClient {
  expectConnection(options, { ...CONNECTION, client: true, model: true, host: true, surroundings: true });
  const { model, client } = options;
  const around = realSurroundings(options.surroundings);
  return createAdapter({
    provider: "ollama",
    model,
    body: (request, stream) => buildOllamaBody(request, { model, stream }, (entry) => around.log(entry)),
    async send(body, limits) {
      if (client !== undefined) return client.chat({ ...body });
      const { createOllamaSdk: ollamaSdk } = await loadPeer(() => import("./sdk.ts"));
      return ollamaSdk(options, limits).chat({ ...body });
    },
    folding: foldOllama,
  });
}
