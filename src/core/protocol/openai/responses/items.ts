import { localize } from "../../../base/localize.ts";
import {
  readFields,
  isFields,
  stringifyJson,
  readList,
  readText,
  type Fields,
} from "../../../base/lenient.ts";
import { mediaAt, mediaNamed, pictureFrom } from "../../base/media.ts";
import {
  callPart,
  citationParts,
  otherPart,
  partsOfContent,
  resultPart,
  textPart,
  thinkingParts,
  partReader,
  readersByType,
} from "../../base/parts.ts";
import type { ConversationMessage, ConversationPart } from "../../base/protocol.ts";
import { REFUSAL_AND_AUDIO } from "../chat/message.ts";

/**
 * Reads the parts of an input or output item. Items have a `type`, which is optional for messages.
 * Source: platform.openai.com/docs/api-reference/responses/object and openai-node 6.49 `resources/responses`, 2026-11.
 */
export function itemParts(item: unknown): ConversationPart[] {
  const fields = readFields(item);
  const type = typeOf(fields);
  const read = ITEMS.get(type)?.(fields) ?? [];
  if (read.length > 0 || ITEMS.has(type)) return read;
  if (type.endsWith("_output")) return [outputPart(fields)];
  if (type.endsWith("_call")) return [toolCallPart(fields, type), ...ownOutput(fields)];
  return [otherPart(type, stringifyJson(item))];
}

export function itemMessage(item: unknown): ConversationMessage {
  if (typeof item === "string") return { role: "user", parts: [textPart(item)] };
  const fields = readFields(item);
  const type = typeOf(fields);
  const role = readText(fields["role"]) ?? (type.endsWith("_output") ? "tool" : "assistant");
  return { role, parts: itemParts(item) };
}

/** Reads an input: a text, or items. Items without a role belong to the assistant's turn. */
export function inputMessages(input: unknown): ConversationMessage[] {
  return typeof input === "string" ? [itemMessage(input)] : readList(input).map(itemMessage);
}

function typeOf(fields: Fields): string {
  return readText(fields["type"]) ?? (fields["content"] === undefined ? "item" : "message");
}

/** Readers of items other than tool calls and outputs with the usual members. */
const ITEMS = readersByType<ConversationPart[]>({
  message: ({ content }) => contentParts(content),
  reasoning: reasoningParts,
  image_generation_call: ({ result, output_format: format }) =>
    typeof result === "string" && result !== ""
      ? [pictureFrom(result, readText(format) ?? "png")]
      : [otherPart(localize("image generation"), "")],
  compaction: () => [otherPart(localize("compaction"), "")],
  item_reference: ({ id }) => [otherPart(localize("earlier item"), readText(id) ?? "")],
  mcp_list_tools: ({ server_label: server, tools }) => [
    otherPart(localize("tools of {0}", readText(server) ?? localize("a server")), toolNames(tools)),
  ],
  additional_tools: ({ tools }) => [otherPart(localize("tools"), toolNames(tools))],
  tool_search_output: ({ call_id: id, tools }) => [resultPart(id, toolNames(tools))],
  mcp_approval_request: ({ name, arguments: given }) => [
    otherPart(localize("asks to call {0}", readText(name) ?? localize("a tool")), readText(given) ?? ""),
  ],
  mcp_approval_response: ({ approve, reason }) => [
    otherPart(approve === true ? localize("approved") : localize("declined"), readText(reason) ?? ""),
  ],
});

/** Reads thoughts, which are complete, summarized, or encrypted, depending on the model. */
function reasoningParts({ summary, content, encrypted_content: secret }: Fields): ConversationPart[] {
  const texts = [...readList(summary), ...readList(content)].flatMap(
    (part) => readText(readFields(part)["text"]) ?? [],
  );
  if (texts.length > 0) return thinkingParts(texts.join("\n\n"));
  return typeof secret === "string" ? [otherPart(localize("encrypted thinking"), "")] : [];
}

/** Reads a call of the user's or of the provider's own tool, whose arguments have different names. */
function toolCallPart(fields: Fields, type: string): ConversationPart {
  const { arguments: given, input, action, operation, code, queries } = fields;
  const own = code === undefined ? (queries === undefined ? undefined : { queries }) : { code };
  const value = given ?? input ?? action ?? operation ?? own ?? {};
  const name = readText(fields["name"]) ?? type.slice(0, -"_call".length);
  return callPart(readText(fields["call_id"]) ?? fields["id"], name, value);
}

/** Reads the output of the provider's own tools, which is in the call. */
function ownOutput(fields: Fields): ConversationPart[] {
  const { output, outputs, results, error } = fields;
  const given = error ?? output ?? outputs ?? results;
  if (given === undefined || given === null) return [];
  const text = outputText(given);
  const id = readText(fields["call_id"]) ?? fields["id"];
  return [resultPart(id, error ? `error: ${text}` : text)];
}

function outputPart(fields: Fields): ConversationPart {
  const id = readText(fields["call_id"]) ?? fields["approval_request_id"];
  return resultPart(id, outputText(fields["output"] ?? fields["result"]));
}

/** Formats an output: a text, content parts, logs of a code run, output of a shell, or any other value as JSON. */
function outputText(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return value === undefined ? "" : stringifyJson(value);
  return readList(value)
    .map((one) => {
      const { text, logs, stdout, stderr, type, image_url: image } = readFields(one);
      const streams = [stdout, stderr].flatMap((stream) => readText(stream) ?? []).join("");
      return (
        readText(text) ?? readText(logs) ?? (streams || (image ? `[${String(type)}]` : stringifyJson(one)))
      );
    })
    .join("\n");
}

function toolNames(tools: unknown): string {
  return readList(tools)
    .map(
      (tool) => (isFields(tool) ? (readText(tool["name"]) ?? readText(tool["type"])) : undefined) ?? "tool",
    )
    .join(", ");
}

/** Reads the content of a message or of a tool's output: a text, or parts of any type. */
export function contentParts(content: unknown): ConversationPart[] {
  return partsOfContent(content, (part) => [
    contentPart(part),
    ...citationParts(readFields(part)["annotations"]),
  ]);
}

const spokenText = ({ text }: Fields): ConversationPart | undefined =>
  typeof text === "string" ? textPart(text) : undefined;
const thought = ({ text }: Fields): ConversationPart | undefined =>
  typeof text === "string" ? { type: "thinking", text } : undefined;

/** Readers of content parts by type; they return undefined for a part that does not match its type. */
const contentPart = partReader({
  ...REFUSAL_AND_AUDIO,
  input_text: spokenText,
  output_text: spokenText,
  text: spokenText,
  reasoning_text: thought,
  summary_text: thought,
  input_image: ({ image_url: url, file_id: id, detail }) =>
    mediaIn("image", { url, id, detail: typeof detail === "string" ? `detail ${detail}` : undefined }),
  computer_screenshot: ({ image_url: url, file_id: id }) => mediaIn("image", { url, id }),
  input_file: ({ file_url: url, file_data: data, file_id: id, filename }) =>
    mediaIn("file", { url: data ?? url, id: id ?? filename, detail: readText(filename) }),
});

function mediaIn(
  media: "image" | "file",
  where: { readonly url: unknown; readonly id: unknown; readonly detail?: string | undefined },
): ConversationPart | undefined {
  if (typeof where.url === "string") return mediaAt(media, where.url, where.detail);
  return typeof where.id === "string" ? mediaNamed(media, where.id) : undefined;
}
