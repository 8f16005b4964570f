import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROVIDERS } from "../../../src/core/protocol/providers.ts";
import type { Cassettes, RecordedExchange } from "../recorded-traffic.ts";

/** Addresses of providers that have one for every resource or region. */
const ORIGINS: Readonly<Record<string, string>> = {
  azure: "https://corpus.openai.azure.com",
  bedrock: "https://bedrock-runtime.eu-north-1.amazonaws.com",
  foundry: "https://corpus.services.ai.azure.com",
};

/** Entries that are no calls over HTTP, as recorders keep them beside the others. */
const NO_CALLS = [
  `- kind: websocket\n  direction: received\n  data: '{"type": "session.created"}'`,
  `- request_sample: {model: corpus-chat-1}\n  response_sample: {text: "seven boats"}`,
];

/** Writes VCR cassettes, one for each operation of each provider, in every way in which vcrpy keeps a body. */
export function cassetteFolder(folder: string, exchanges: readonly RecordedExchange[]): Cassettes {
  const files = new Map<string, RecordedExchange[]>();
  // Calls that depend on a header are not in a cassette.
  const kept = exchanges.filter(({ request }) => request.headers === undefined);
  for (const exchange of kept) {
    const name = `${exchange.provider}/test_${exchange.operation}[a-b].yaml`;
    files.set(name, [...(files.get(name) ?? []), exchange]);
  }
  for (const [name, all] of files) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    const extras = name.startsWith("openai/test_chat") ? NO_CALLS : [];
    const interactions = [...all.map(interaction), ...extras].join("\n");
    writeFileSync(join(folder, name), `interactions:\n${interactions}\nversion: 1\n`);
  }
  return { folder, files: files.size, exchanges: kept };
}

function interaction(exchange: RecordedExchange, index: number): string {
  const { request, reply } = exchange;
  const type = request.contentType === undefined ? "{}" : `{Content-Type: [${quoted(request.contentType)}]}`;
  return [
    "- request:",
    ...bodyLines(request.body, index % 3 === 2).map((line) => `    ${line}`),
    `    headers: ${type}`,
    `    method: ${index % 2 === 0 ? request.method : request.method.toLowerCase()}`,
    `    uri: ${quoted(addressOf(exchange))}`,
    "  response:",
    ...replyLines(reply.body, index).map((line) => `    ${line}`),
    `    headers: {content-type: [${quoted(reply.contentType)}], transfer-encoding: [chunked]}`,
    `    status: {code: ${reply.status}, message: corpus}`,
  ].join("\n");
}

/** A text, or the value that was parsed from it; JSON is YAML, too. */
function bodyLines(body: Uint8Array, parsed: boolean): string[] {
  const text = textIn(body);
  if (text === undefined) return [`body: ${binary(body)}`];
  return parsed && isJson(text)
    ? [`parsed_body: ${text.replaceAll(/\s*\n\s*/g, " ")}`]
    : [`body: ${quoted(text)}`];
}

function replyLines(body: Uint8Array, index: number): string[] {
  const text = textIn(body);
  if (text !== undefined && index % 3 === 1 && isJson(text) && !text.includes("\n"))
    return [`parsed_body: ${text}`];
  return ["body:", `  string: ${text === undefined ? binary(body) : quoted(text)}`];
}

function textIn(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  return text.startsWith("{");
}

/** A double-quoted scalar: JSON's, with what YAML would take for the end of a line spelled out. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function binary(body: Uint8Array): string {
  return `!!binary ${quoted(Buffer.from(body).toString("base64"))}`;
}

function addressOf({ provider, request }: RecordedExchange): string {
  const origin = PROVIDERS.find(({ name }) => name === provider)?.upstream ?? ORIGINS[provider];
  return `${origin}${request.path}`;
}
