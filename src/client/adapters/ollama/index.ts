/** Models that Ollama runs, on the official SDK. */
import type { ChatClient } from "../../chat-client.ts";
import { realSurroundings, type Surroundings } from "../../surroundings.ts";
import { createAdapter } from "../adapter.ts";
import { type OllamaConnection, ollamaSdk } from "./sdk.ts";
import { ollamaChunks, ollamaReply } from "./reading.ts";
import { ollamaBody } from "./request.ts";

export type { OllamaConnection, OllamaSdk } from "./sdk.ts";

export interface OllamaOptions extends OllamaConnection {
  readonly model: string;
  readonly surroundings?: Partial<Surroundings>;
}

export function createOllama(options: OllamaOptions): ChatClient {
  const { model } = options;
  const around = realSurroundings(options.surroundings);
  return createAdapter({
    provider: "ollama",
    model,
    body: (request, stream) => ollamaBody(request, { model, stream }, (entry) => around.log(entry)),
    send: (body, limits) => ollamaSdk(options, limits).chat({ ...body }),
    reply: ollamaReply,
    chunks: ollamaChunks,
  });
}
