import { citationParts } from "../../reading/citations.ts";
import { partsOfContent } from "../../reading/content.ts";
import { fieldsOf, jsonText, textIn, type Fields } from "../../reading/lenient.ts";
import { mediaAt, mediaFrom, mediaNamed } from "../../reading/media.ts";
import type { Part } from "../../protocol.ts";

/** The content of a message or of a tool's output: a text, or parts of any type. */
export function contentParts(content: unknown): Part[] {
  return partsOfContent(content, (part) => [
    contentPart(part),
    ...citationParts(fieldsOf(part)["annotations"]),
  ]);
}

function contentPart(value: unknown): Part {
  const fields = fieldsOf(value);
  const type = textIn(fields["type"]) ?? "content";
  return CONTENT.get(type)?.(fields) ?? { type: "other", description: type, text: jsonText(value) };
}

const spoken = ({ text }: Fields): Part | undefined =>
  typeof text === "string" ? { type: "text", text } : undefined;
const thought = ({ text }: Fields): Part | undefined =>
  typeof text === "string" ? { type: "thinking", text } : undefined;

/** Readers of content parts by their type; undefined where the part is not what its type promises. */
const CONTENT: ReadonlyMap<string, (fields: Fields) => Part | undefined> = new Map(
  Object.entries({
    input_text: spoken,
    output_text: spoken,
    text: spoken,
    reasoning_text: thought,
    summary_text: thought,
    refusal: ({ refusal }: Fields) =>
      typeof refusal === "string" ? { type: "other", description: "refusal", text: refusal } : undefined,
    input_image: ({ image_url: url, file_id: id, detail }: Fields) =>
      placed("image", { url, id, detail: typeof detail === "string" ? `detail ${detail}` : undefined }),
    computer_screenshot: ({ image_url: url, file_id: id }: Fields) => placed("image", { url, id }),
    input_file: ({ file_url: url, file_data: data, file_id: id, filename }: Fields) =>
      placed("file", { url: data ?? url, id: id ?? filename, detail: textIn(filename) }),
    input_audio: ({ input_audio: audio }: Fields) => audioPart(fieldsOf(audio)),
  } satisfies Record<string, (fields: Fields) => Part | undefined>),
);

function placed(
  media: "image" | "file",
  where: { readonly url: unknown; readonly id: unknown; readonly detail?: string | undefined },
): Part | undefined {
  if (typeof where.url === "string") return mediaAt(media, where.url, where.detail);
  return typeof where.id === "string" ? mediaNamed(media, where.id) : undefined;
}

function audioPart({ data, format }: Fields): Part | undefined {
  return typeof data === "string" ? mediaFrom("audio", `audio/${textIn(format) ?? "wav"}`, data) : undefined;
}
