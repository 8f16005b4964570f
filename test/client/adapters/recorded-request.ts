import type { Message, Part } from "../../../src/client/message.ts";
import type { ChatRequest } from "../../../src/client/request.ts";
import type { ToolChoice, ToolDefinition } from "../../../src/client/tool.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of any provider
type Any = any;

/** Thrown when a request contains something that the core's vocabulary lacks. */
export class UnsupportedContent extends Error {}

/**
 * A recorded request body as a core request, so that an adapter can write it again; everything without a core field
 * goes into `extra`. Undefined when a message has no equivalent part (for example a provider's own tools at work).
 */
export function requestFrom(read: (body: Any) => ChatRequest, body: Any): ChatRequest | undefined {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof UnsupportedContent) return undefined;
    throw error;
  }
}

export function fromChat({
  messages,
  tools,
  tool_choice,
  model: _model,
  stream: _stream,
  ...extra
}: Any): ChatRequest {
  const read = messages.map(({ role, content, tool_calls, tool_call_id, name, ...more }: Any): Message => {
    if (
      !["system", "user", "assistant", "tool"].includes(role) ||
      Object.values(more).some((one) => one !== null && one !== undefined)
    )
      throw new UnsupportedContent();
    if (role === "tool")
      return { role, parts: [{ type: "tool-result", callId: tool_call_id, content: textOnly(content) }] };
    const calls = (tool_calls ?? []).map((call: Any): Part => {
      if (call.type !== "function") throw new UnsupportedContent();
      return { type: "tool-call", id: call.id, name: call.function.name, arguments: call.function.arguments };
    });
    return { role, parts: [...listed(content).map(chatPart), ...calls], ...(name && { name }) };
  });
  const defined = (tools ?? []).map((tool: Any): ToolDefinition => {
    if (tool.type !== "function" || Object.keys(tool).length > 2) throw new UnsupportedContent();
    return tool.function;
  });
  const choice: ToolChoice | undefined =
    typeof tool_choice === "object" ? { tool: tool_choice.function?.name ?? "" } : tool_choice;
  return request(read, defined, choice, extra);
}

function chatPart(part: Any): Part {
  if (part.type === "text") {
    const { type, text, ...more } = part;
    return { type, text, ...(Object.keys(more).length > 0 && { extras: { openai: more } }) };
  }
  if (part.type === "image_url") {
    const { url, detail } = part.image_url;
    return { type: "image", source: { kind: "url", url }, ...(detail && { detail }) };
  }
  throw new UnsupportedContent();
}

export function fromAnthropic(body: Any): ChatRequest {
  const {
    messages,
    system,
    tools,
    tool_choice,
    model: _model,
    stream: _stream,
    max_tokens: maxOutputTokens,
    ...extra
  } = body;
  const leading: Message[] =
    system === undefined ? [] : [{ role: "system", parts: listed(system).map(anthropicPart) }];
  const read = messages.map(({ role, content }: Any): Message => ({
    role,
    parts: listed(content).map(anthropicPart),
  }));
  const defined = (tools ?? []).map(
    ({ name, description, input_schema, strict, ...more }: Any): ToolDefinition => {
      if (input_schema === undefined || Object.keys(more).some((key) => key !== "type"))
        throw new UnsupportedContent();
      return {
        name,
        ...(description !== undefined && { description }),
        parameters: input_schema,
        ...(strict !== undefined && { strict }),
      };
    },
  );
  const { type, name, ...options } = tool_choice ?? {};
  if (Object.keys(options).length > 0) throw new UnsupportedContent();
  const choice: ToolChoice | undefined =
    type === "tool" ? { tool: name } : type === "any" ? "required" : type;
  const asked = request([...leading, ...read], defined, choice, extra);
  return { ...asked, settings: { ...asked.settings, maxOutputTokens } };
}

function anthropicPart({ type, cache_control, ...block }: Any): Part {
  const extras = cache_control === undefined ? {} : { extras: { anthropic: { cache_control } } };
  if (type === "text" && Object.keys(block).length === 1) return { type, text: block.text, ...extras };
  if (type === "thinking") return { type, text: block.thinking, signature: block.signature, ...extras };
  if (type === "tool_use" && Object.keys(block).length === 3)
    return {
      type: "tool-call",
      id: block.id,
      name: block.name,
      arguments: JSON.stringify(block.input),
      ...extras,
    };
  if (type === "image" && block.source.type === "url")
    return { type, source: { kind: "url", url: block.source.url }, ...extras };
  if (type === "image" && block.source.type === "base64")
    return {
      type,
      source: { kind: "base64", mediaType: block.source.media_type, data: block.source.data },
      ...extras,
    };
  if (type !== "tool_result") throw new UnsupportedContent();
  const { tool_use_id: callId, content, is_error: isError } = block;
  const parts = typeof content === "string" ? content : (content.map(anthropicPart) as []);
  if (
    typeof parts !== "string" &&
    (parts as Part[]).some((one) => one.type !== "text" && one.type !== "image")
  )
    throw new UnsupportedContent();
  return {
    type: "tool-result",
    callId,
    content: parts,
    ...(isError !== undefined && { isError }),
    ...extras,
  };
}

export function fromGemini({
  contents,
  systemInstruction,
  tools,
  toolConfig,
  generationConfig,
  ...extra
}: Any): ChatRequest {
  if (Object.keys(extra).length > 0) throw new UnsupportedContent();
  const { mode, allowedFunctionNames: names, ...other } = toolConfig?.functionCallingConfig ?? {};
  if (mode === "VALIDATED" || Object.keys(other).length > 0 || (names?.length ?? 0) > 1)
    throw new UnsupportedContent();
  const choice: ToolChoice | undefined = names
    ? { tool: names[0] }
    : ({ ANY: "required", AUTO: "auto", NONE: "none" } as Any)[mode];
  const leading: Message[] =
    systemInstruction === undefined
      ? []
      : [{ role: "system", parts: systemInstruction.parts.map(geminiPart) }];
  const read = contents.map(({ role, parts }: Any): Message => ({
    role: role === "model" ? "assistant" : "user",
    parts: parts.map(geminiPart),
  }));
  const defined = (tools ?? []).flatMap(({ functionDeclarations, ...more }: Any): ToolDefinition[] => {
    if (functionDeclarations === undefined || Object.keys(more).length > 0) throw new UnsupportedContent();
    return functionDeclarations.map(
      ({ name, description, parameters_json_schema: parameters, ...rest }: Any) => {
        if (Object.keys(rest).length > 0) throw new UnsupportedContent();
        return { name, description, ...(parameters && { parameters }) };
      },
    );
  });
  return request(
    [...leading, ...read],
    defined,
    choice,
    generationConfig === undefined ? {} : { generationConfig },
  );
}

function geminiPart({
  text,
  thought,
  thoughtSignature,
  functionCall,
  functionResponse,
  inlineData,
  ...more
}: Any): Part {
  if (Object.keys(more).length > 0) throw new UnsupportedContent();
  const signed = thoughtSignature === undefined ? {} : { signature: thoughtSignature };
  if (text !== undefined) return { type: thought ? "thinking" : "text", text, ...signed };
  if (functionCall !== undefined) {
    const { id = "", name, args } = functionCall;
    return { type: "tool-call", id, name, arguments: JSON.stringify(args ?? {}), ...signed };
  }
  if (functionResponse !== undefined && functionResponse.parts === undefined) {
    const { id = "", name, response } = functionResponse;
    return { type: "tool-result", callId: id, name, content: JSON.stringify(response) };
  }
  if (inlineData?.mimeType?.startsWith("image/"))
    return {
      type: "image",
      source: { kind: "base64", mediaType: inlineData.mimeType, data: inlineData.data },
    };
  throw new UnsupportedContent();
}

export function request(
  messages: Message[],
  tools: ToolDefinition[],
  toolChoice: ToolChoice | undefined,
  extra: object,
): ChatRequest {
  return {
    messages,
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    settings: { extra: { ...extra } },
  };
}

export function listed(content: Any): Any[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content ?? [];
}

function textOnly(content: Any): string {
  if (typeof content !== "string") throw new UnsupportedContent();
  return content;
}

/** What two spellings of one request have in common: no absent values, a single text part as bare text. */
export function settled(value: Any): Any {
  if (Array.isArray(value)) {
    const [first] = value;
    const isText = first?.type === "text" || first?.type === "input_text" || first?.type === "output_text";
    if (value.length === 1 && isText && Object.keys(first).length === 2) return first.text;
    return value.map(settled);
  }
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, one]) =>
      one !== null &&
      one !== undefined &&
      !(name === "stream" && !one) &&
      !(name === "content" && (one === "" || (Array.isArray(one) && one.length === 0))),
  );
  return Object.fromEntries(
    kept
      .map(([name, one]): [string, Any] => [
        name.replace("parameters_json_schema", "parametersJsonSchema"),
        settled(one),
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
