import { createHash } from "node:crypto";
import { parseJson } from "../../../src/core/base/json/json-parse.ts";
import type { Sha256 } from "../../../src/core/match/key/key.ts";
import type { KeyedRequest } from "../../../src/core/cassette/recorded-request.ts";
import { readBody } from "../../../src/core/base/read-body.ts";

/** SHA-256 as the parts outside of core give it. */
export const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex");

/** A chat completions request with `body`, which is a value or its text. */
export function chat(body: unknown, others: Partial<KeyedRequest> = {}): KeyedRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    provider: "openai",
    operation: "chat.completions",
    method: "POST",
    path: "/v1/chat/completions",
    body: { kind: "json", tree: parseJson(text) },
    ...others,
  };
}

/** A request whose body is read according to its content type. */
export function posted(body: string | Uint8Array, contentType?: string): KeyedRequest {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return chat({}, { body: readBody({ body: bytes, contentType }) });
}

/** A multipart body from parts that are given as their headers and content. */
export function multipart(
  boundary: string,
  parts: readonly (readonly [headers: string, content: string])[],
): string {
  const pieces = parts.map(([headers, content]) => `--${boundary}\r\n${headers}\r\n\r\n${content}\r\n`);
  return `${pieces.join("")}--${boundary}--\r\n`;
}

/** A tool as OpenAI takes it. */
export function tool(name: string, properties: object = {}): object {
  return { type: "function", function: { name, parameters: { type: "object", properties } } };
}
