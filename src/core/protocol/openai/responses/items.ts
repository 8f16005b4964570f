import { fieldsOf, isFields, jsonText, listOf, present, textIn, type Fields } from "../../reading/lenient.ts";
import { pictureFrom } from "../../reading/media.ts";
import type { Message, Part } from "../../protocol.ts";
import { contentParts } from "./content.ts";

/**
 * The parts that an item of an input or an output stands for. Items name themselves by `type`; a message need not.
 * Source: platform.openai.com/docs/api-reference/responses/object and openai-node 6.49 `resources/responses`, 2026-11.
 */
export function itemParts(item: unknown): Part[] {
  const fields = fieldsOf(item);
  const type = typeOf(fields);
  const read = ITEMS.get(type)?.(fields) ?? [];
  if (read.length > 0 || ITEMS.has(type)) return read;
  if (type.endsWith("_output")) return [outputPart(fields)];
  if (type.endsWith("_call")) return [callPart(fields, type), ...ownOutput(fields)];
  return [{ type: "other", description: type, text: jsonText(item) }];
}

/** An item of a conversation as a message of its own. */
export function itemMessage(item: unknown): Message {
  if (typeof item === "string") return { role: "user", parts: [{ type: "text", text: item }] };
  const fields = fieldsOf(item);
  const type = typeOf(fields);
  const role = textIn(fields["role"]) ?? (type.endsWith("_output") ? "tool" : "assistant");
  return { role, parts: itemParts(item) };
}

function typeOf(fields: Fields): string {
  return textIn(fields["type"]) ?? (fields["content"] === undefined ? "item" : "message");
}

/** Readers of the items that neither call a tool nor give its output in the usual members. */
const ITEMS: ReadonlyMap<string, (fields: Fields) => Part[]> = new Map(
  Object.entries({
    message: ({ content }: Fields) => contentParts(content),
    reasoning: thinkingParts,
    image_generation_call: ({ result, output_format: format }: Fields) =>
      typeof result === "string" && result !== ""
        ? [pictureFrom(result, textIn(format) ?? "png")]
        : [{ type: "other", description: "image generation", text: "" }],
    compaction: () => [{ type: "other", description: "compaction", text: "" }],
    item_reference: ({ id }: Fields) => [
      { type: "other", description: "earlier item", text: textIn(id) ?? "" },
    ],
    mcp_list_tools: ({ server_label: server, tools }: Fields) => [
      { type: "other", description: `tools of ${textIn(server) ?? "a server"}`, text: toolNames(tools) },
    ],
    additional_tools: ({ tools }: Fields) => [
      { type: "other", description: "tools", text: toolNames(tools) },
    ],
    tool_search_output: ({ call_id: id, tools }: Fields) => [
      present({ type: "tool-result" as const, id: textIn(id), text: toolNames(tools) }),
    ],
    mcp_approval_request: ({ name, arguments: given }: Fields) => [
      { type: "other", description: `asks to call ${textIn(name) ?? "a tool"}`, text: textIn(given) ?? "" },
    ],
    mcp_approval_response: ({ approve, reason }: Fields) => [
      { type: "other", description: approve === true ? "approved" : "declined", text: textIn(reason) ?? "" },
    ],
  } satisfies Record<string, (fields: Fields) => Part[]>),
);

/** Thoughts are told in full by some models, in a summary by others, or kept secret. */
function thinkingParts({ summary, content, encrypted_content: secret }: Fields): Part[] {
  const texts = [...listOf(summary), ...listOf(content)].flatMap(
    (part) => textIn(fieldsOf(part)["text"]) ?? [],
  );
  if (texts.length > 0) return [{ type: "thinking", text: texts.join("\n\n") }];
  return typeof secret === "string" ? [{ type: "other", description: "encrypted thinking", text: "" }] : [];
}

/** A call of a tool, be it the user's or the provider's own: what it is given has a different name in each. */
function callPart(fields: Fields, type: string): Part {
  const { arguments: given, input, action, operation, code, queries } = fields;
  const own = code === undefined ? (queries === undefined ? undefined : { queries }) : { code };
  const value = given ?? input ?? action ?? operation ?? own ?? {};
  return present({
    type: "tool-call" as const,
    id: textIn(fields["call_id"]) ?? textIn(fields["id"]),
    name: textIn(fields["name"]) ?? type.slice(0, -"_call".length),
    arguments: typeof value === "string" ? value : jsonText(value),
  });
}

/** What the provider's own tools gave back stands in their call. */
function ownOutput(fields: Fields): Part[] {
  const { output, outputs, results, error } = fields;
  const given = error ?? output ?? outputs ?? results;
  if (given === undefined || given === null) return [];
  const text = outputText(given);
  const id = textIn(fields["call_id"]) ?? textIn(fields["id"]);
  return [present({ type: "tool-result" as const, id, text: error ? `error: ${text}` : text })];
}

function outputPart(fields: Fields): Part {
  const id = textIn(fields["call_id"]) ?? textIn(fields["approval_request_id"]);
  const given = fields["output"] ?? fields["result"];
  return present({ type: "tool-result" as const, id, text: outputText(given) });
}

/** A text, content parts, the logs of a code run, the streams of a shell, or anything else as JSON. */
function outputText(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return value === undefined ? "" : jsonText(value);
  return listOf(value)
    .map((one) => {
      const { text, logs, stdout, stderr, type, image_url: image } = fieldsOf(one);
      const streams = [stdout, stderr].flatMap((stream) => textIn(stream) ?? []).join("");
      return textIn(text) ?? textIn(logs) ?? (streams || (image ? `[${String(type)}]` : jsonText(one)));
    })
    .join("\n");
}

function toolNames(tools: unknown): string {
  return listOf(tools)
    .map((tool) => (isFields(tool) ? (textIn(tool["name"]) ?? textIn(tool["type"])) : undefined) ?? "tool")
    .join(", ");
}
