import { encodeBase64 } from "../../base/base64.ts";
import { formatSize } from "../../base/plural.ts";
import type { ConversationPart } from "./protocol.ts";

type Media = Extract<ConversationPart, { type: "media" }>;

/** Makes a media part from a web address or a `data:` URL. */
export function createMediaAt(media: Media["media"], url: string, detail?: string): Media {
  const inline = /^data:([^;,]*)[^,]*,/.exec(url);
  const about = inline
    ? [inline[1] || media, formatSize(Math.floor(((url.length - inline[0].length) * 3) / 4))]
    : [media];
  return { type: "media", media, description: [...about, ...(detail ? [detail] : [])].join(", "), url };
}

/** Makes a media part from base64 text. */
export function createMedia(media: Media["media"], mimeType: string, base64: string, detail?: string): Media {
  return createMediaAt(media, `data:${mimeType};base64,${base64}`, detail);
}

/** Makes a media part without a URL, e.g. for a file that the provider stores. `description` can be its ID. */
export function createNamedMedia(media: Media["media"], description: string): Media {
  return { type: "media", media, description };
}

/** Makes a part for a generated image, described as "214 KB, png". */
export function createPicture(base64: string, format: string, detail?: string): Media {
  const about = [formatSize(base64Bytes(base64)), format, ...(detail === undefined ? [] : [detail])];
  const url = `data:image/${format};base64,${base64}`;
  return { type: "media", media: "image", description: about.join(", "), url };
}

/** Makes a media part from bytes, described by name, type, and size. */
export function createMediaFromBytes(
  media: Media["media"],
  bytes: Uint8Array,
  { type, name }: { readonly type: string; readonly name?: string },
): Media {
  const description = [...(name === undefined ? [] : [name]), type, formatSize(bytes.byteLength)].join(", ");
  return { type: "media", media, description, url: `data:${type};base64,${encodeBase64(bytes)}` };
}

export function getMediaKind(type: string): Media["media"] {
  return (["image", "audio", "video"] as const).find((kind) => type.startsWith(`${kind}/`)) ?? "file";
}

const base64Bytes = (base64: string): number => Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
