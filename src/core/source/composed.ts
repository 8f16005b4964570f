import type { Answer } from "../call.ts";
import { readBody } from "../match/key/canonical.ts";
import type { ProtocolRequest } from "../protocol/protocol.ts";
import { contentTypeOf } from "../wire/content-type.ts";
import { settledAnswer, type Exchange } from "./source.ts";

/** An answer that no provider made: a text in the shape that the call asked for. `reason` is for whoever watches. */
export function composedAnswer(text: string, exchange: Exchange, reason: string): Answer {
  const composed = exchange.protocol.compose({ text }, protocolRequest(exchange));
  const headers = [["content-type", composed.contentType]] as const;
  return settledAnswer({ status: 200, headers, body: composed.body }, { outcome: "defaulted", reason });
}

/** The call as its protocol reads it. */
export function protocolRequest({ call, provider, protocol }: Exchange): ProtocolRequest {
  const { method, path } = call;
  const { operation } = protocol;
  const body = readBody({ body: call.body, operation, ...contentTypeOf(call.headers) });
  return { provider: provider.name, method, path, body };
}
