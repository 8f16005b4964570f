import { readFields } from "../../../core/base/lenient.ts";
import type { ChatClient } from "../../chat-client.ts";
import { CONNECTION, createAdapter, expectConnection, loadOnce } from "../adapter.ts";
import type { GeminiConnection } from "./sdk.ts";
import { foldGemini } from "./reading.ts";
import { buildGeminiBody } from "./request.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

export type { GeminiConnection, GeminiSdk } from "./sdk.ts";

export interface GeminiOptions extends GeminiConnection {
  readonly model: string;
}

/** Makes a client for Gemini. `settings.extra` overrides the body that the SDK makes. @throws ChatError "validation" for invalid options */
export function createGemini(options: GeminiOptions): ChatClient {
  expectConnection(options, { ...CONNECTION, client: true, model: true });
  const { model, client } = options;
  const sdk = loadOnce(
    client,
    () => import("./sdk.ts"),
    (loaded) => loaded.createGeminiSdk(options),
  );
  return createAdapter({
    provider: "gemini",
    model,
    body: (request, stream) => ({ ...buildGeminiBody(request, model), stream }),
    send: async ({ stream, model: requested, contents, config, ...extraBody }, { signal, headers }) => {
      const httpOptions = { ...pickDefined({ headers }), extraBody };
      const parameters = {
        model: requested,
        contents,
        config: { ...readFields(config), ...pickDefined({ abortSignal: signal }), httpOptions },
      };
      const { models } = await sdk();
      return stream === true ? models.generateContentStream(parameters) : models.generateContent(parameters);
    },
    folding: foldGemini,
  });
}
