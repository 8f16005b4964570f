/** Google's Gemini, on the official SDK. */
import { fieldsOf } from "../../../core/protocol/reading/lenient.ts";
import type { ChatClient } from "../../chat-client.ts";
import { createAdapter } from "../adapter.ts";
import { type GeminiConnection, geminiSdk } from "./sdk.ts";
import { geminiChunks, geminiReply } from "./reading.ts";
import { geminiBody } from "./request.ts";

export type { GeminiConnection, GeminiSdk } from "./sdk.ts";

export interface GeminiOptions extends GeminiConnection {
  readonly model: string;
}

/** Gemini's generateContent. `settings.extra` is laid over the body that the SDK makes. */
export function createGemini(options: GeminiOptions): ChatClient {
  const { models } = geminiSdk(options);
  const { model } = options;
  return createAdapter({
    provider: "gemini",
    model,
    body: (request, stream) => ({ ...geminiBody(request, model), stream }),
    send: async ({ stream, model: asked, contents, config, ...extraBody }, { signal, headers }) => {
      const httpOptions = {
        ...(headers && { headers }),
        ...(Object.keys(extraBody).length > 0 && { extraBody }),
      };
      const parameters = {
        model: asked,
        contents,
        config: {
          ...fieldsOf(config),
          ...(signal && { abortSignal: signal }),
          ...(Object.keys(httpOptions).length > 0 && { httpOptions }),
        },
      };
      return stream === true ? models.generateContentStream(parameters) : models.generateContent(parameters);
    },
    reply: geminiReply,
    chunks: geminiChunks,
  });
}
