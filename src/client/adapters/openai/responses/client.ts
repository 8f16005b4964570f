import type { ChatClient } from "../../../chat-client.ts";
import { createAdapter } from "../../adapter.ts";
import type { ChatFlavour } from "../chat/flavour.ts";
import { OPENAI } from "../chat/flavour.ts";
import type { OpenaiConnection, OpenaiSdk } from "../connection.ts";
import { openaiSdk, sdkOptions } from "../sdk.ts";
import { responsesChunks, responsesReply } from "./reading.ts";
import { responsesBody } from "./request.ts";

export interface OpenaiResponsesOptions extends OpenaiConnection {
  readonly model: string;
}

/** The Responses API of OpenAI. */
export function createOpenaiResponses(options: OpenaiResponsesOptions): ChatClient {
  return responsesClient(options, openaiSdk(options), OPENAI);
}

/** A client on any SDK that has responses. */
export function responsesClient(
  { model }: Pick<OpenaiResponsesOptions, "model">,
  sdk: OpenaiSdk,
  { provider }: Pick<ChatFlavour, "provider">,
): ChatClient {
  return createAdapter({
    provider,
    model,
    body: (request, stream) => responsesBody(request, model, stream),
    send: async (body, limits) => sdk.responses.create(body, sdkOptions(limits)),
    reply: (raw) => responsesReply(raw),
    chunks: () => responsesChunks(),
  });
}
