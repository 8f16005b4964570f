import { localize } from "../../../base/localize.ts";
import {
  readFields,
  isFields,
  stringifyJson,
  readList,
  readText,
  type Fields,
} from "../../../base/lenient.ts";
import { createMediaAt, createNamedMedia, createPicture } from "../../base/media.ts";
import {
  createCallPart,
  createCitationParts,
  createOtherPart,
  readContentParts,
  createResultPart,
  createTextPart,
  createThinkingParts,
  createPartReader,
  createReadersByType,
} from "../../base/parts.ts";
import type { ConversationMessage, ConversationPart } from "../../base/protocol.ts";
import { REFUSAL_AND_AUDIO } from "../chat/message.ts";

/**
 * Reads the parts of an input or output item. Items have a `type`, which is optional for messages.
 * Source: platform.openai.com/docs/api-reference/responses/object and openai-node 6.49 `resources/responses`, 2026-11.
 */
export function readItemParts(item: unknown): ConversationPart[] {
  const fields = readFields(item);
  const type = typeOf(fields);
  const read = ITEMS.get(type)?.(fields) ?? [];
  if (read.length > 0 || ITEMS.has(type)) return read;
  if (type.endsWith("_output")) return [outputPart(fields)];
  if (type.endsWith("_call")) return [toolCallPart(fields, type), ...ownOutput(fields)];
  return [createOtherPart(type, stringifyJson(item))];
}

export function readItemMessage(item: unknown): ConversationMessage {
  if (typeof item === "string") return { role: "user", parts: [createTextPart(item)] };
  const fields = readFields(item);
  const type = typeOf(fields);
  const role = readText(fields["role"]) ?? (type.endsWith("_output") ? "tool" : "assistant");
  return { role, parts: readItemParts(item) };
}

/** Reads an input: a text, or items. Items without a role belong to the assistant's turn. */
export function readInputMessages(input: unknown): ConversationMessage[] {
  return typeof input === "string" ? [readItemMessage(input)] : readList(input).map(readItemMessage);
}

function typeOf(fields: Fields): string {
  return readText(fields["type"]) ?? (fields["content"] === undefined ? "item" : "message");
}

/** Readers of items other than tool calls and outputs with the usual members. */
const ITEMS = createReadersByType<ConversationPart[]>({
  message: ({ content }) => readItemContent(content),
  reasoning: reasoningParts,
  image_generation_call: ({ result, output_format: format }) =>
    typeof result === "string" && result !== ""
      ? [createPicture(result, readText(format) ?? "png")]
      : [createOtherPart(localize("image generation"), "")],
  compaction: () => [createOtherPart(localize("compaction"), "")],
  item_reference: ({ id }) => [createOtherPart(localize("earlier item"), readText(id) ?? "")],
  mcp_list_tools: ({ server_label: server, tools }) => [
    createOtherPart(localize("tools of {0}", readText(server) ?? localize("a server")), toolNames(tools)),
  ],
  additional_tools: ({ tools }) => [createOtherPart(localize("tools"), toolNames(tools))],
  tool_search_output: ({ call_id: id, tools }) => [createResultPart(id, toolNames(tools))],
  mcp_approval_request: ({ name, arguments: given }) => [
    createOtherPart(
      localize("asks to call {0}", readText(name) ?? localize("a tool")),
      readText(given) ?? "",
    ),
  ],
  mcp_approval_response: ({ approve, reason }) => [
    createOtherPart(approve === true ? localize("approved") : localize("declined"), readText(reason) ?? ""),
  ],
});

/** Reads thoughts, which are complete, summarized, or encrypted, depending on the model. */
function reasoningParts({ summary, content, encrypted_content: secret }: Fields): ConversationPart[] {
  const texts = [...readList(summary), ...readList(content)].flatMap(
    (part) => readText(readFields(part)["text"]) ?? [],
  );
  if (texts.length > 0) return createThinkingParts(texts.join("\n\n"));
  return typeof secret === "string" ? [createOtherPart(localize("encrypted thinking"), "")] : [];
}

/** Reads a call of the user's or of the provider's own tool, whose arguments have different names. */
function toolCallPart(fields: Fields, type: string): ConversationPart {
  const { arguments: given, input, action, operation, code, queries } = fields;
  const own = code === undefined ? (queries === undefined ? undefined : { queries }) : { code };
  const value = given ?? input ?? action ?? operation ?? own ?? {};
  const name = readText(fields["name"]) ?? type.slice(0, -"_call".length);
  return createCallPart(readText(fields["call_id"]) ?? fields["id"], name, value);
}

/** Reads the output of the provider's own tools, which is in the call. */
function ownOutput(fields: Fields): ConversationPart[] {
  const { output, outputs, results, error } = fields;
  const given = error ?? output ?? outputs ?? results;
  if (given === undefined || given === null) return [];
  const text = outputText(given);
  const id = readText(fields["call_id"]) ?? fields["id"];
  return [createResultPart(id, error ? `error: ${text}` : text)];
}

function outputPart(fields: Fields): ConversationPart {
  const id = readText(fields["call_id"]) ?? fields["approval_request_id"];
  return createResultPart(id, outputText(fields["output"] ?? fields["result"]));
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
export function readItemContent(content: unknown): ConversationPart[] {
  return readContentParts(content, (part) => [
    contentPart(part),
    ...createCitationParts(readFields(part)["annotations"]),
  ]);
}

const spokenText = ({ text }: Fields): ConversationPart | undefined =>
  typeof text === "string" ? createTextPart(text) : undefined;
const thought = ({ text }: Fields): ConversationPart | undefined =>
  typeof text === "string" ? { type: "thinking", text } : undefined;

/** Readers of content parts by type; they return undefined for a part that does not match its type. */
const contentPart = createPartReader({
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
  if (typeof where.url === "string") return createMediaAt(media, where.url, where.detail);
  return typeof where.id === "string" ? createNamedMedia(media, where.id) : undefined;
}
