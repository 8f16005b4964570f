import {
  fieldsOf,
  isFields,
  isText,
  isTexts,
  jsonIn,
  type Fields,
} from "../core/protocol/reading/lenient.ts";
import { tapedeckError, wrongUsage, type TapedeckError } from "../core/errors.ts";
import type { Call, Miss, TestRef, WireHeaders } from "../core/call.ts";
import { withoutOwn } from "../core/secrets/redact-call.ts";
import { withContentType } from "../core/wire/content-type.ts";
import { utf8, isHeaderValue } from "../core/wire/text.ts";

/*
 * A list of missing calls: one JSON object a line, with all that another machine needs to make the call.
 */

/** A call of such a list: its headers that take part in its key, and its content type. It may be anybody's. */
export interface ListedCall
  extends
    Pick<Call, "provider" | "method" | "path" | "headers" | "body" | "test">,
    Pick<Miss, "label" | "model"> {}

/** The line of a missed call; nothing in it is a credential. */
export function listLine({ provider, operation, model, label, request }: Miss, test?: TestRef): string {
  const { method, contentType = "application/json", headers = [] } = request;
  const all = withContentType(headers, contentType);
  const { path, body } = withoutOwn({ ...request, headers: all });
  const text = utf8(body);
  const asked = text === undefined ? { base64: Buffer.from(body).toString("base64") } : { text };
  const { file, name } = test ?? { file: undefined, name: undefined };
  const of = file === undefined ? {} : { test: { file, name } };
  return `${JSON.stringify({ provider, operation, model, label, ...of, method, path, headers: all, ...asked })}\n`;
}

/** @throws TapedeckError `tapedeck_usage` with the first line that is none, before any call is made. */
export function readList(text: string, shown: string): readonly ListedCall[] {
  const lines = text.split("\n").map((line, index) => ({ line: line.trim(), number: index + 1 }));
  return lines
    .filter(({ line }) => line !== "")
    .map(({ line, number }) => callIn(line, `${shown}:${number}`));
}

function callIn(line: string, place: string): ListedCall {
  const value = parseLine(line, place);
  const { provider, method, path, headers, label, model, test } = value;
  const body = decodeBody(value);
  if (
    typeof provider !== "string" ||
    typeof method !== "string" ||
    typeof label !== "string" ||
    body === undefined
  )
    throw noCall(place, "provider, method, label or body is missing");
  if (typeof path !== "string" || !path.startsWith("/") || path.startsWith("//"))
    throw noCall(place, "its path does not begin with one /");
  if (!isHeaders(headers)) throw noCall(place, "its headers are none that a list may have");
  return {
    provider,
    method,
    path,
    headers,
    body,
    label,
    ...(typeof model === "string" && { model }),
    ...(isTest(test) && { test }),
  };
}

function parseLine(line: string, place: string): Fields {
  const value = jsonIn(line);
  if (isFields(value)) return value;
  throw noCall(place, "it is no JSON object");
}

function decodeBody({ text, base64 }: Fields): Uint8Array | undefined {
  if (typeof text === "string") return Buffer.from(text, "utf8");
  return typeof base64 === "string" ? Buffer.from(base64, "base64") : undefined;
}

/** No list brings a credential along, or says how a request is sent: both are this machine's. */
const NOT_BROUGHT =
  /auth|key|token|secret|cookie|^(?:host|connection|content-length|transfer-encoding|upgrade|expect)$|^(?:proxy|x-tapedeck)-/;

const isHeaders = (value: unknown): value is WireHeaders => Array.isArray(value) && value.every(isHeader);

function isHeader(pair: unknown): boolean {
  if (!Array.isArray(pair) || pair.length !== 2) return false;
  const [name, value] = pair as readonly unknown[];
  if (typeof name !== "string" || typeof value !== "string") return false;
  return /^[a-z0-9-]+$/.test(name) && !NOT_BROUGHT.test(name) && isHeaderValue(value);
}

function isTest(value: unknown): value is TestRef {
  const { file, name } = fieldsOf(value);
  return isText(file) && isTexts(name);
}

function noCall(place: string, why: string): TapedeckError {
  return wrongUsage(
    `${place} is no missing call: ${why}.`,
    "Make the list anew with tapedeck run --missing FILE.",
  );
}

/** A call that is not made for others: it does more than to ask a model. */
export function notForOthers(operation: string, provider: string): TapedeckError {
  return tapedeckError("tapedeck_refused", `A call to ${provider} (${operation}) is not made for others.`, {
    hint: "A list is asked of models only: it reads, changes and deletes nothing of an account. Record this one yourself.",
  });
}
