import { escapeUnicode, decodeUtf8 } from "../../base/wire/text.ts";
import { encodeBase64 } from "../../base/base64.ts";
import type { WireHeaders } from "../../call/call.ts";
import { listOrigins, type ExportedCall } from "./exported-call.ts";

/**
 * Writes a cassette for vcrpy. Texts are quoted with JSON's escapes, which are also YAML's, so that any YAML reader gets
 * the same text.
 */
export function writeVcr(calls: readonly ExportedCall[]): string {
  const interactions =
    calls.length === 0 ? "interactions: []\n" : `interactions:\n${calls.map(interaction).join("")}`;
  return `${interactions}version: 1\n`;
}

function interaction({ url, requestHeaders, replyHeaders, recording }: ExportedCall): string {
  const { provider, operation, request, reply, recordedAt, cassettes } = recording;
  const origins = listOrigins(recording);
  return [
    "- request:",
    `    body: ${request.body.byteLength === 0 ? "null" : scalar(request.body)}`,
    ...headerLines(requestHeaders),
    `    method: ${quoteScalar(request.method)}`,
    `    uri: ${quoteScalar(url)}`,
    "  response:",
    "    body:",
    `      string: ${scalar(reply.body)}`,
    ...headerLines(replyHeaders),
    "    status:",
    `      code: ${reply.status}`,
    '      message: ""',
    `  recorded_at: ${quoteScalar(recordedAt)}`,
    "  tapedeck:",
    `    provider: ${quoteScalar(provider)}`,
    `    operation: ${quoteScalar(operation)}`,
    ...(origins === undefined ? [] : [`    values: ${quoteObject(origins)}`]),
    ...(cassettes === undefined ? [] : [`    cassettes: [${cassettes.map(quoteScalar).join(", ")}]`]),
    "",
  ].join("\n");
}

function headerLines(headers: WireHeaders): readonly string[] {
  if (headers.length === 0) return ["    headers: {}"];
  return [
    "    headers:",
    ...headers.map(([name, value]) => `      ${quoteScalar(name)}: [${quoteScalar(value)}]`),
  ];
}

function scalar(body: Uint8Array): string {
  const text = decodeUtf8(body);
  return text === undefined ? `!!binary ${quoteScalar(encodeBase64(body))}` : quoteScalar(text);
}

/** Characters that YAML 1.1 forbids or reads as line ends: controls, line and paragraph separators, byte order marks. */
const NOT_PRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const quoteScalar = (text: string): string => JSON.stringify(text).replace(NOT_PRINTABLE, escapeUnicode);

const quoteObject = (texts: Readonly<Record<string, string>>): string => {
  const members = Object.entries(texts).map((pair) => pair.map(quoteScalar).join(": "));
  return `{ ${members.join(", ")} }`;
};
