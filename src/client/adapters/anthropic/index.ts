import type { ChatClient } from "../../chat-client.ts";
import { peer } from "../../check-options.ts";
import type { Fields } from "../../../core/base/lenient.ts";
import { CONNECTION, createAdapter, expectConnection, whenNeeded } from "../adapter.ts";
import type { AnthropicConnection } from "./sdk.ts";
import { anthropicChunks, anthropicReply } from "./reading.ts";
import { anthropicBody } from "./request.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

export type { AnthropicConnection, AnthropicSdk } from "./sdk.ts";

export interface AnthropicOptions extends AnthropicConnection {
  readonly model: string;
}

/** @throws ChatError "validation" for options that are none */
export function createAnthropic(options: AnthropicOptions): ChatClient {
  expectConnection(options, { ...CONNECTION, client: true, model: true });
  const { model, client } = options;
  const sdk = whenNeeded(client, async () => {
    const { anthropicSdk } = await peer(() => import("./sdk.ts"));
    return anthropicSdk(options);
  });
  return createAdapter({
    provider: "anthropic",
    model,
    body: (request, stream) => anthropicBody(request, model, stream),
    send: async (body, { signal, headers }) =>
      (await sdk()).messages.create(body, pickDefined({ signal, headers, timeout: patience(body) })),
    reply: anthropicReply,
    chunks: anthropicChunks,
  });
}

/** Up to this length the SDK takes a whole answer of any model; a longer one it refuses unless it is told how long to wait. */
const SHORT = 8192;
const TEN_MINUTES = 600_000;
/** As the SDK reckons: an hour for so many tokens. */
const TOKENS_AN_HOUR = 128_000;

/** How long a whole answer may take that the SDK would only stream. */
function patience({ stream, max_tokens: most }: Fields): number | undefined {
  if (stream === true || typeof most !== "number" || most <= SHORT) return undefined;
  return Math.max(TEN_MINUTES, Math.ceil((most / TOKENS_AN_HOUR) * 3_600_000));
}
