import type { ChatClient } from "../../chat-client.ts";
import { realSurroundings, type Surroundings } from "../../surroundings.ts";
import { peer } from "../../check-options.ts";
import { CONNECTION, createAdapter, expectConnection } from "../adapter.ts";
import type { OllamaConnection } from "./sdk.ts";
import { ollamaChunks, ollamaReply } from "./reading.ts";
import { ollamaBody } from "./request.ts";

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
    body: (request, stream) => ollamaBody(request, { model, stream }, (entry) => around.log(entry)),
    async send(body, limits) {
      if (client !== undefined) return client.chat({ ...body });
      const { ollamaSdk } = await peer(() => import("./sdk.ts"));
      return ollamaSdk(options, limits).chat({ ...body });
    },
    reply: ollamaReply,
    chunks: ollamaChunks,
  });
}
