import type { ChatClient } from "../../chat-client.ts";
import type { Fields } from "../../../core/base/lenient.ts";
import { CONNECTION, createAdapter, expectConnection, loadOnce } from "../adapter.ts";
import type { AnthropicConnection } from "./sdk.ts";
import { foldMessage } from "./reading.ts";
import { buildAnthropicBody } from "./request.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

export type { AnthropicConnection, AnthropicSdk } from "./sdk.ts";

export interface AnthropicOptions extends AnthropicConnection {
  readonly model: string;
}

/** Makes a client for Anthropic's messages. @throws ChatError "validation" for invalid options */
export function createAnthropic(options: AnthropicOptions): ChatClient {
  expectConnection(options, { ...CONNECTION, client: true, model: true });
  const { model, client } = options;
  const sdk = loadOnce(
    client,
    () => import("./sdk.ts"),
    (loaded) => loaded.createAnthropicSdk(options),
  );
  return createAdapter({
    provider: "anthropic",
    model,
    body: (request, stream) => buildAnthropicBody(request, model, stream),
    send: async (body, { signal, headers }) =>
      (await sdk()).messages.create(body, pickDefined({ signal, headers, timeout: timeoutFor(body) })),
    folding: foldMessage,
  });
}

/** Maximum tokens of a whole answer for which the SDK does not require a timeout. */
const SHORT = 8192;
const TEN_MINUTES = 600_000;
/** Tokens per hour in the SDK's estimate of the time for an answer. */
const TOKENS_AN_HOUR = 128_000;

/** Returns the timeout for a whole answer that the SDK would otherwise only stream. */
function timeoutFor({ stream, max_tokens: most }: Fields): number | undefined {
  if (stream === true || typeof most !== "number" || most <= SHORT) return undefined;
  return Math.max(TEN_MINUTES, Math.ceil((most / TOKENS_AN_HOUR) * 3_600_000));
}
