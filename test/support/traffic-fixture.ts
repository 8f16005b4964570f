import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProtocolRequest } from "../../src/core/protocol/protocol.ts";
import { readBody } from "../../src/core/match/canonical.ts";

/** A request and its reply in wire form, from `test/fixtures/traffic/FOLDER`. */
export interface TrafficFixture {
  readonly name: string;
  readonly request: ProtocolRequest;
  /** The request body as JSON.parse gives it, for an SDK to send. */
  readonly asked: object;
  readonly reply: { readonly status: number; readonly contentType: string; readonly body: Uint8Array };
}

const TRAFFIC = join(import.meta.dirname, "../fixtures/traffic");

export function trafficFixture(
  folder: string,
  name: string,
  call: { readonly provider: string; readonly path: string },
): TrafficFixture {
  const body = readFileSync(join(TRAFFIC, folder, `${name}.request.json`));
  const stream = join(TRAFFIC, folder, `${name}.reply.sse`);
  const reply = existsSync(stream)
    ? { status: 200, contentType: "text/event-stream; charset=utf-8", body: readFileSync(stream) }
    : {
        status: 200,
        contentType: "application/json",
        body: readFileSync(join(TRAFFIC, folder, `${name}.reply.json`)),
      };
  return { name, request: aRequest({ ...call, body }), asked: JSON.parse(body.toString()) as object, reply };
}

/** A POST as protocols are given it. */
export function aRequest(call: {
  readonly provider?: string;
  readonly path: string;
  readonly body: Uint8Array | string | object;
  readonly method?: string;
}): ProtocolRequest {
  const { provider = "openai", path, body, method = "POST" } = call;
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : body;
  const bytes = Buffer.from(typeof text === "string" ? text : JSON.stringify(text));
  return { provider, method, path, body: readBody({ body: bytes, contentType: "application/json" }) };
}
