import type { MediaPart, Message, Part, TextPart } from "../../../src/client/message.ts";
import type { ChatRequest } from "../../../src/client/request.ts";
import type { ToolChoice, ToolDefinition } from "../../../src/client/tool.ts";
import { listed, request, UnsupportedContent } from "./recorded-request.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of any provider
type Any = any;

/** A recorded request of the Responses API in the core's words. */
export function fromResponses(body: Any): ChatRequest {
  const { input, tools, tool_choice, model: _model, stream: _stream, ...extra } = body;
  const defined = (tools ?? []).map(({ type, ...tool }: Any): ToolDefinition => {
    const { name, description, parameters, strict, ...more } = tool;
    if (type !== "function" || Object.keys(more).length > 0) throw new UnsupportedContent();
    return {
      name,
      ...(typeof description === "string" && { description }),
      ...(parameters && { parameters }),
      ...(typeof strict === "boolean" && { strict }),
    };
  });
  if (typeof tool_choice === "object" && tool_choice?.type !== "function") throw new UnsupportedContent();
  const choice: ToolChoice | undefined =
    typeof tool_choice === "object" ? { tool: tool_choice.name } : tool_choice;
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
  return request(items.map(messageFrom), defined, choice, extra);
}

function messageFrom({ type, ...item }: Any): Message {
  if (type === "function_call") {
    const { call_id: id, name, arguments: text, ...more } = item;
    return assistant({ type: "tool-call", id, name, arguments: text, ...extrasOf(more) });
  }
  if (type === "reasoning") {
    const { id, summary, encrypted_content: signature, ...more } = item;
    if (Object.keys(more).length > 0 || summary.length > 1) throw new UnsupportedContent();
    const text = summary[0]?.text ?? "";
    return assistant({ type: "thinking", text, ...(signature && { signature }), ...extrasOf({ id }) });
  }
  if (type === "function_call_output") {
    const { call_id: callId, output, ...more } = item;
    const content = typeof output === "string" ? output : output.map(contentFrom);
    return { role: "tool", parts: [{ type: "tool-result", callId, content, ...extrasOf(more) }] };
  }
  const { role, content, ...more } = item;
  if ((type ?? "message") !== "message" || !["system", "user", "assistant"].includes(role))
    throw new UnsupportedContent();
  const parts = listed(content).map(contentFrom);
  // The core has no empty message.
  if (parts.length === 0) throw new UnsupportedContent();
  return { role, parts, ...extrasOf({ ...(type && { type }), ...more }) };
}

const assistant = (part: Part): Message => ({ role: "assistant", parts: [part] });

function contentFrom({ type, ...part }: Any): TextPart | MediaPart {
  const { text, image_url, detail, filename, file_data, file_url, ...more } = part;
  if (typeof text === "string") return { type: "text", text, ...extrasOf(more) };
  if (Object.keys(more).length > 0) throw new UnsupportedContent();
  if (type === "input_image")
    return { type: "image", source: { kind: "url", url: image_url }, ...(detail && { detail }) };
  if (type !== "input_file") throw new UnsupportedContent();
  return {
    type: "file",
    source: { kind: "url", url: file_data ?? file_url },
    ...(filename && { name: filename }),
  };
}

const extrasOf = (fields: object): object =>
  Object.keys(fields).length === 0 ? {} : { extras: { openai: fields } };
