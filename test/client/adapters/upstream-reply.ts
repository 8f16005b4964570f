import { createProviders } from "../../../src/core/protocol/registry.ts";
import type { IncomingReply, OutgoingRequest } from "../../../src/core/answer/source/source.ts";
import { readBody } from "../../../src/core/base/read-body.ts";
import type { ClientName } from "./clients.ts";

export const providers = createProviders({ azure: "https://resource.openai.azure.com" });

const call = { id: "c1", name: "weather", arguments: '{"city":"Paris"}' };
const DRAFT = {
  text: "Let me see.",
  pieces: ["Let me", " see."],
  toolCalls: [call],
  usage: { inputTokens: 11, outputTokens: 7 },
};

/** A provider's answer: a text, a tool call and usage, whole or as a stream, or a failure in its own shape. */
export function upstreamReply(name: ClientName, request: OutgoingRequest, status: number): IncomingReply {
  const { provider, protocol } = operationOf(name, request);
  if (status !== 200) {
    const failed = provider.dialect.fail(status, "slow down");
    return { status, headers: failed.headers, body: inPieces(failed.body as Uint8Array) };
  }
  const { method, url, body: bytes } = request;
  const { pathname, search } = new URL(url);
  const body = readBody({ body: bytes, contentType: "application/json" });
  const sent = { provider: provider.name, method, path: pathname + search, body };
  const composed =
    name === "dashscope" ? dashscope(protocol.stream !== undefined) : protocol.compose(DRAFT, sent);
  return {
    status,
    headers: [["content-type", composed.contentType]],
    body: inPieces(composed.body),
  };
}

function operationOf(name: ClientName, { method, url, headers }: OutgoingRequest) {
  const [first = "", kind = ""] = name.split(" ");
  const provider = first === "openai" && kind === "compatible" ? "groq" : first;
  const { pathname, search } = new URL(url);
  const found = providers.protocolFor({ provider, method, path: pathname + search, headers });
  if (found === undefined) throw new Error(`no provider ${provider}`);
  return found;
}

/** Calls of DashScope's own wire, whose names come in pieces, are not composed. */
function dashscope(streams: boolean): { readonly contentType: string; readonly body: Uint8Array } {
  const chunk = (message: object, finish_reason: string): object => ({
    output: { choices: [{ message: { role: "assistant", content: "", ...message }, finish_reason }] },
    usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
    request_id: "req-1",
  });
  const called = (id: string, name: string, text: string): object => ({
    tool_calls: [{ index: 0, type: "function", id, function: { name, arguments: text } }],
  });
  const whole = { content: DRAFT.text, ...called(call.id, call.name, call.arguments) };
  if (!streams)
    return { contentType: "application/json", body: Buffer.from(JSON.stringify(chunk(whole, "tool_calls"))) };
  const chunks = [
    ...DRAFT.pieces.map((content) => chunk({ content }, "null")),
    chunk(called("c1", "wea", ""), "null"),
    chunk(called("", "ther", call.arguments), "tool_calls"),
  ];
  const frames = chunks.map((one) => `event:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(one)}\n\n`);
  return { contentType: "text/event-stream", body: Buffer.from(frames.join("")) };
}

async function* inPieces(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += 100) yield body.subarray(at, at + 100);
}
