import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProtocolRequest } from "../../src/core/protocol/base/protocol.ts";
import { pickDefined } from "../../src/core/base/pick-defined.ts";
import { readBody } from "../../src/core/base/read-body.ts";

/** A request and its reply in wire form, from `test/fixtures/traffic/FOLDER`. */
export interface TrafficFixture {
  readonly name: string;
  readonly request: ProtocolRequest;
  /** The request body as JSON.parse gives it, for an SDK to send. */
  readonly asked: object;
  readonly reply: { readonly status: number; readonly contentType: string; readonly body: Uint8Array };
}

/** Below the project's folder, in which tests and programs made of this file run. */
export const TRAFFIC = join("test", "fixtures", "traffic");

export function trafficFixture(
  folder: string,
  name: string,
  call: { readonly provider: string; readonly path: string },
): TrafficFixture {
  const file = (end: string): string => join(TRAFFIC, folder, `${name}.${end}`);
  const reply = replyIn(file);
  if (existsSync(file("request.multipart"))) {
    const body = readFileSync(file("request.multipart"));
    const boundary = body.toString("latin1").split("\r\n", 1)[0]?.slice(2) ?? "";
    const contentType = `multipart/form-data; boundary=${boundary}`;
    return { name, request: aRequest({ ...call, body, contentType }), asked: {}, reply };
  }
  if (!existsSync(file("request.json")))
    return { name, request: aRequest({ ...call, method: "GET", body: "" }), asked: {}, reply };
  const body = readFileSync(file("request.json"));
  return { name, request: aRequest({ ...call, body }), asked: JSON.parse(body.toString()) as object, reply };
}

const REPLY_TYPES: readonly (readonly [end: string, contentType: string])[] = [
  ["reply.sse", "text/event-stream; charset=utf-8"],
  ["reply.json", "application/json"],
  ["reply.txt", "text/plain; charset=utf-8"],
  ["reply.jsonl", "application/x-jsonl"],
  // One array, in pieces that no formatter may touch.
  ["reply.array", "application/json"],
  ["reply.ndjson", "application/x-ndjson"],
  ["reply.eventstream", "application/vnd.amazon.eventstream"],
  ["reply.mp3", "audio/mpeg"],
];

function replyIn(file: (end: string) => string): TrafficFixture["reply"] {
  const found = REPLY_TYPES.find(([end]) => existsSync(file(end)));
  if (found === undefined) throw new Error(`no reply at ${file("reply.*")}`);
  const [end, contentType] = found;
  return { status: 200, contentType, body: readFileSync(file(end)) };
}

/** A POST as protocols are given it. */
export function aRequest(call: {
  readonly provider?: string;
  readonly path: string;
  readonly body: Uint8Array | string | object;
  readonly method?: string;
  readonly contentType?: string;
  readonly operation?: string;
}): ProtocolRequest {
  const {
    provider = "openai",
    path,
    body,
    method = "POST",
    contentType = "application/json",
    operation,
  } = call;
  const bytes =
    body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return {
    provider,
    method,
    path,
    body: readBody({ body: bytes, contentType, ...pickDefined({ operation }) }),
  };
}
