import { existsSync } from "node:fs";
import { createProviders } from "../../src/core/protocol/registry.ts";
import { CASSETTE_UPSTREAMS, cassetteExchanges } from "./cassette-files.ts";
import { CHUNK_FOLDERS, chunkFileExchanges } from "./chunk-files.ts";
import { SHARED_DATA, type ExcludedItem, type RecordedExchange } from "./recorded-exchange.ts";

export { SHARED_DATA, type ExcludedItem, type RecordedExchange } from "./recorded-exchange.ts";

export interface RecordedTraffic {
  /** False where the folder of shared data is not there: say so in a skip. */
  readonly present: boolean;
  readonly exchanges: readonly RecordedExchange[];
  /** What of the data is no traffic over HTTP. */
  readonly excluded: readonly ExcludedItem[];
}

/** OpenAI chat completions and Anthropic messages, from any recorder. */
export function isMainTraffic({ provider, operation }: RecordedExchange): boolean {
  return (
    (provider === "openai" && operation === "chat.completions") ||
    (provider === "anthropic" && operation === "messages")
  );
}

/** Providers that are not built in, with addresses as a user would give them. */
export const NAMED_UPSTREAMS: Readonly<Record<string, string>> = Object.fromEntries(
  [...Object.keys(CASSETTE_UPSTREAMS), ...CHUNK_FOLDERS.map(({ provider }) => provider)]
    .filter((provider) => createProviders().get(provider) === undefined)
    .map((provider) => [provider, `https://${provider}.example`]),
);

/** Files of the replies' collection that are no replies over HTTP. */
const NO_REPLIES: readonly ExcludedItem[] = [
  {
    source: "vercel-ai/packages/openai/src/speech-translation/__fixtures__",
    reason: "is the events of a WebSocket, not a reply over HTTP",
  },
  {
    source: "vercel-ai/packages/harness-claude-code/src/bridge/__fixtures__",
    reason: "is messages between two programs, not a reply over HTTP",
  },
];

/**
 * The recorded traffic that `wanted` chooses. Whole bodies that a recorder kept as parsed trees are JSON written anew,
 * requests that it did not keep are made up, and each keeps its file as `source`.
 */
export function loadRecordedTraffic(
  wanted: (exchange: RecordedExchange) => boolean = isMainTraffic,
): RecordedTraffic {
  if (!existsSync(SHARED_DATA)) return { present: false, exchanges: [], excluded: [] };
  loaded ??= load();
  return { ...loaded, exchanges: loaded.exchanges.filter(wanted) };
}

let loaded: RecordedTraffic | undefined;

function load(): RecordedTraffic {
  const providers = createProviders(NAMED_UPSTREAMS);
  const all = cassetteExchanges(providers);
  return {
    present: true,
    exchanges: [...all.filter((one) => "reply" in one), ...chunkFileExchanges(providers)],
    excluded: [...all.filter((one) => "reason" in one), ...NO_REPLIES],
  };
}
