import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProviders } from "../../src/core/protocol/registry.ts";
import { CASSETTE_UPSTREAMS, cassetteExchanges } from "./cassette-files.ts";
import { CHUNK_FOLDERS, chunkFileExchanges } from "./chunk-files.ts";
import { cassetteFolder } from "./corpus/cassettes.ts";
import { corpus, sample } from "./corpus/corpus.ts";
import { rspCacheText } from "./corpus/rsp-cache.ts";
import type { ExcludedItem, RecordedExchange } from "./recorded-exchange.ts";

export type { ExcludedItem, RecordedExchange } from "./recorded-exchange.ts";

/**
 * A folder with traffic of real providers, which `npm run conformance -- --data DIR` names. Nothing else does: without
 * it, all tests run on the project's own corpus.
 */
export const REAL_DATA = process.env["TAPEDECK_CONFORMANCE_DATA"];

export interface RecordedTraffic {
  readonly exchanges: readonly RecordedExchange[];
  /** Data that is not HTTP traffic. */
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

/** A cassette of an endpoint that echoes chat requests, with which a client is tested on invalid replies. */
const ECHOES = "test_invalid_response";

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
 * The recorded traffic that `wanted` chooses: the corpus, or real traffic where a folder of it is given. Of that, whole
 * bodies that a recorder kept as parsed trees are JSON written anew, and each exchange keeps its file as `source`.
 */
export function loadRecordedTraffic(
  wanted: (exchange: RecordedExchange) => boolean = isMainTraffic,
): RecordedTraffic {
  loaded ??= REAL_DATA === undefined ? { exchanges: corpus(), excluded: [] } : realTraffic(REAL_DATA);
  return { ...loaded, exchanges: loaded.exchanges.filter(wanted) };
}

let loaded: RecordedTraffic | undefined;

function realTraffic(data: string): RecordedTraffic {
  const providers = createProviders(NAMED_UPSTREAMS);
  const all = cassetteExchanges(data, providers).map((one) =>
    one.source.includes(ECHOES) ? { source: one.source, reason: "echoes its request and is no reply" } : one,
  );
  return {
    exchanges: [...all.filter((one) => "reply" in one), ...chunkFileExchanges(data, providers)],
    excluded: [...all.filter((one) => "reason" in one), ...NO_REPLIES],
  };
}

/** VCR cassettes: a folder of them, how many files they are, and what of the traffic is in them. */
export interface Cassettes {
  readonly folder: string;
  readonly files: number;
  readonly exchanges: readonly RecordedExchange[];
}

/** Those of the data, or those that the corpus makes in `folder`. */
export function loadCassettes(folder: string): Cassettes {
  if (REAL_DATA === undefined)
    return cassetteFolder(folder, sample(loadRecordedTraffic(() => true).exchanges));
  const { exchanges } = loadRecordedTraffic(({ request }) => request.isMadeUp !== true);
  return { folder: join(REAL_DATA, "pydantic-ai"), files: 272, exchanges };
}

/** MetaGPT's own response cache, or one of ours in the same form; either has 425 entries. */
export function loadRspCache(): string {
  if (REAL_DATA === undefined) return rspCacheText();
  return readFileSync(join(REAL_DATA, "metagpt", "rsp_cache.json"), "utf8");
}
