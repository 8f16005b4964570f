import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { readYaml } from "../../src/importing/read-yaml.ts";
import { isExchange, type FoundExchange, findHeader } from "../../src/core/formats/import/found.ts";
import { locate } from "../../src/core/formats/import/locate.ts";
import { readVcr } from "../../src/core/formats/import/vcr.ts";
import type { ProviderTable } from "../../src/core/protocol/registry.ts";
import { operationOf, type ExcludedItem, type RecordedExchange } from "./recorded-exchange.ts";

/** Addresses in the cassettes that no built-in provider has, under names as a user would give them. */
export const CASSETTE_UPSTREAMS: Readonly<Record<string, string>> = {
  anthropic: "http://localhost:8787/anthropic",
  openai: "http://localhost:8787/openai",
  bedrock: "http://localhost:8787/bedrock",
  cerebras: "https://api.cerebras.ai",
  ollama: "https://ollama.com",
  crusoe: "https://api.inference.crusoecloud.com",
  zai: "https://api.z.ai",
  heroku: "https://us.inference.heroku.com",
  snowflake: "https://myorg-myaccount.snowflakecomputing.com",
  mantle: "https://bedrock-mantle.us-east-1.api.aws",
  voyage: "https://api.voyageai.com",
  tavily: "https://api.tavily.com",
  deepwiki: "https://mcp.deepwiki.com",
  "w3.org": "https://www.w3.org",
  "githubusercontent.com": "https://raw.githubusercontent.com",
  "grepit.app": "https://data.grepit.app",
  "workers.dev": "https://demo-endpoints.pydantic.workers.dev",
  "online-convert.com": "https://example-files.online-convert.com",
  "ftcdn.net": "https://t3.ftcdn.net",
  "helpmanual.io": "https://smokeshow.helpmanual.io",
};

/** Every interaction of every cassette in a folder of data; what is no call over HTTP by its reason. */
export function cassetteExchanges(
  data: string,
  providers: ProviderTable,
): readonly (RecordedExchange | ExcludedItem)[] {
  const root = join(data, "pydantic-ai");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".yaml"),
  );
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return readVcr(readYaml(text)).map((found, index) => {
      const source = `pydantic-ai/${file.split(sep).join("/")}#${index}`;
      if (!isExchange(found)) return { source, reason: found.skipped };
      return exchange(found, source, providers);
    });
  });
}

function exchange(
  found: FoundExchange,
  source: string,
  providers: ProviderTable,
): RecordedExchange | ExcludedItem {
  const { request, reply } = found;
  const located = locate(request.url, CASSETTE_UPSTREAMS);
  if (located === undefined) return { source, reason: `is of an address without a name: ${request.url}` };
  const { provider, path } = located;
  const contentType = findHeader(request.headers, "content-type");
  const asked = {
    method: request.method,
    path,
    body: Uint8Array.from(request.body),
    ...(contentType !== undefined && { contentType }),
  };
  return {
    source,
    provider,
    operation: operationOf(providers, { provider, request: asked }),
    request: asked,
    reply: {
      status: reply.status,
      contentType: findHeader(reply.headers, "content-type") ?? "application/octet-stream",
      body: Uint8Array.from(reply.body),
    },
  };
}
