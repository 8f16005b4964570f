import { encodeBase64 } from "../../base/base64.ts";
import type { WireHeaders } from "../../call/call.ts";
import { findContentType, decodeUtf8 } from "../../base/wire/text.ts";
import { listOrigins, type ExportedCall } from "./exported-call.ts";

/** Writes an HTTP archive, version 1.2. Members that start with "_" are Tapedeck's, which the format allows. */
export function writeHar(calls: readonly ExportedCall[], version: string): string {
  const entries = calls.map(entry);
  const log = { version: "1.2", creator: { name: "Tapedeck", version }, entries };
  return `${JSON.stringify({ log }, undefined, 2)}\n`;
}

function entry({ url, requestHeaders, replyHeaders, recording }: ExportedCall): object {
  const { provider, operation, request, reply, recordedAt } = recording;
  const wait = (reply.waitsMs ?? []).reduce((sum, ms) => sum + ms, 0);
  const common = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };
  return {
    startedDateTime: recordedAt,
    time: wait,
    request: {
      method: request.method,
      url,
      ...common,
      headers: pairs(requestHeaders),
      queryString: queryOf(url),
      ...(request.body.byteLength > 0 && { postData: postData(request.body, requestHeaders) }),
      bodySize: request.body.byteLength,
    },
    response: {
      status: reply.status,
      statusText: "",
      ...common,
      headers: pairs(replyHeaders),
      content: {
        size: reply.body.byteLength,
        mimeType: reply.contentType ?? "",
        ...textOrBase64(reply.body, "encoding"),
      },
      redirectURL: "",
      bodySize: reply.body.byteLength,
    },
    cache: {},
    timings: { send: 0, wait, receive: 0 },
    _tapedeck: { provider, operation, cassettes: recording.cassettes, values: listOrigins(recording) },
  };
}

const pairs = (headers: WireHeaders): readonly object[] => headers.map(([name, value]) => ({ name, value }));

function queryOf(url: string): readonly object[] {
  return URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : [];
}

/** Writes a request body. The standard has an encoding only in replies; Polly.JS and Tapedeck read one here too. */
function postData(body: Uint8Array, headers: WireHeaders): object {
  return { mimeType: findContentType(headers).contentType ?? "", ...textOrBase64(body, "_encoding") };
}

function textOrBase64(body: Uint8Array, name: string): object {
  const text = decodeUtf8(body);
  return text === undefined ? { text: encodeBase64(body), [name]: "base64" } : { text };
}
