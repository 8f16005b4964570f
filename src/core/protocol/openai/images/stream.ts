import { typedStream } from "../../stream-rules.ts";

/**
 * A stream of pictures has a `completed` event for each, and no mark for the last one but its end.
 * Source: platform.openai.com/docs/api-reference/images-streaming, 2026-11.
 */
export const openaiImagesStream = typedStream({
  terminal: ["image_generation.completed", "image_edit.completed"],
  failed: ["error", "image_generation.failed", "image_edit.failed"],
  endsWithBody: true,
});
