import { fieldsOf, isFields } from "../../core/protocol/reading/lenient.ts";
import { inlineFault } from "../media.ts";

/**
 * What is wrong with a picture inside a message, in any provider's form, with its place behind `where`; undefined where
 * it is none or may be one. Only what needs no look at the picture is judged: whether there is an address at all, and
 * whether inline data is base64 of a picture's type. An address that is no `data:` is the provider's to look at.
 */
export function pictureFault(
  part: unknown,
  where: string,
): readonly [where: string, fault: string] | undefined {
  if (!isFields(part)) return undefined;
  if ("image_url" in part) {
    const given = part["image_url"];
    const at = isFields(given) ? `${where}.image_url.url` : `${where}.image_url`;
    return placed(at, addressFault(isFields(given) ? given["url"] : given));
  }
  if (typeof part["image"] === "string") return placed(`${where}.image`, addressFault(part["image"]));
  const source = fieldsOf(part["source"]);
  if (part["type"] === "image" && source["type"] === "base64")
    return placed(`${where}.source`, dataFault(source["media_type"], source["data"]));
  const inline = fieldsOf(part["inline_data"] ?? part["inlineData"]);
  const mediaType = inline["mime_type"] ?? inline["mimeType"];
  if (typeof mediaType !== "string" || !mediaType.startsWith("image/")) return undefined;
  return placed(`${where}.inline_data`, dataFault(mediaType, inline["data"]));
}

function placed(where: string, fault: string | undefined): readonly [string, string] | undefined {
  return fault === undefined ? undefined : [where, fault];
}

function addressFault(url: unknown): string | undefined {
  if (typeof url !== "string" || url.trim() === "") return "an image needs an address";
  const inline = /^data:([^;,]*)[^,]*,(.*)$/is.exec(url);
  if (inline === null) return /^data:/i.test(url) ? "the image's address holds no data" : undefined;
  return dataFault(inline[1], inline[2]);
}

function dataFault(mediaType: unknown, data: unknown): string | undefined {
  // Bytes are what they are.
  if (typeof data !== "string") return data === undefined ? "the image is empty" : undefined;
  return inlineFault("image", typeof mediaType === "string" ? mediaType : "", data);
}
