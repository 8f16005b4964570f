import { pythonRepr } from "../../python/repr.ts";
import { type Fields, fieldsOf, listOf } from "../../../core/protocol/reading/lenient.ts";
import { refused } from "./messages.ts";

/** Models that see pictures, by their exact names. */
export const MULTIMODAL_MODELS: readonly string[] = [
  "gpt-4-vision-preview",
  "gpt-4o",
  "gpt-4o-mini",
  "claude-3-opus-20240229",
  "claude-3-sonnet-20240229",
  "claude-3-haiku-20240307",
];

/** An address, a map with `url` (and `detail`), or a part with `image_url`. */
export type ImageInput = string | Fields;

/** @throws ChatError "validation" for a model that sees none */
export function expectImageSupport(model: string): void {
  if (MULTIMODAL_MODELS.includes(model)) return;
  throw refused(
    "model",
    `Model ${model} does not support images. Use a model from ${pythonRepr(MULTIMODAL_MODELS)}`,
  );
}

/** Formatted messages with pictures put to the last one. @throws ChatError "validation" */
export function withImages(messages: readonly Fields[], images: readonly ImageInput[]): readonly Fields[] {
  const last = messages.at(-1);
  if (last?.["role"] !== "user") {
    throw refused("messages", "The last message must be from the user to attach images");
  }
  const { content } = last;
  const before = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
  return [...messages.slice(0, -1), { ...last, content: [...before, ...images.map(imagePart)] }];
}

function imagePart(image: ImageInput, index: number): unknown {
  if (typeof image === "string") return { type: "image_url", image_url: { url: image } };
  const fields = fieldsOf(image);
  if ("url" in fields) return { type: "image_url", image_url: image };
  if ("image_url" in fields) return image;
  throw refused(`images[${index}]`, `Unsupported image format: ${pythonRepr(image)}`);
}
