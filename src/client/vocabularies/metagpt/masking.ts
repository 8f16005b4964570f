import { type Fields, fieldsOf, listOf } from "../../../core/protocol/reading/lenient.ts";

const PREFIX = "data:image/";

/** A message as it may stand in a log: pictures are named, not shown. What is sent is never changed. */
export function maskBase64Data(message: Fields): Fields {
  const { content } = message;
  if (typeof content === "string") {
    return content.includes(PREFIX)
      ? { ...message, content: "<Messages containing image base64 data have been omitted>" }
      : message;
  }
  if (!Array.isArray(content)) return message;
  return { ...message, content: listOf(content).map(maskPart) };
}

function maskPart(part: unknown): unknown {
  const { type, image_url: image } = fieldsOf(part);
  const { url } = fieldsOf(image);
  if (type !== "image_url" || typeof url !== "string" || !url.startsWith(PREFIX)) return part;
  return { ...fieldsOf(part), image_url: { url: "<Image base64 data has been omitted>" } };
}
