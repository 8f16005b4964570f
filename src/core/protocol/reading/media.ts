import { decodeBase64, encodeBase64 } from "../../cassette/base64.ts";
import { sizeOf } from "../../match/differences/excerpt.ts";
import type { Part } from "../protocol.ts";

type Media = Extract<Part, { type: "media" }>;

/** A picture, sound or file that is somewhere: at a web address or inside the request as a `data:` address. */
export function mediaAt(media: Media["media"], url: string, detail?: string): Media {
  const inline = /^data:([^;,]*)[^,]*,/.exec(url);
  const about = inline
    ? [inline[1] || media, sizeOf(Math.floor(((url.length - inline[0].length) * 3) / 4))]
    : [media];
  return { type: "media", media, description: [...about, ...(detail ? [detail] : [])].join(", "), url };
}

/** The same from base64 text. */
export function mediaFrom(media: Media["media"], mimeType: string, base64: string, detail?: string): Media {
  return mediaAt(media, `data:${mimeType};base64,${base64}`, detail);
}

/** Something that the provider keeps under a name of its own. */
export function mediaNamed(media: Media["media"], description: string): Media {
  return { type: "media", media, description };
}

/** Enough of a picture to find its size in, also behind the metadata of a camera. */
const HEAD_CHARACTERS = 131_072;

/** A picture that a provider made: "1024×1024, 214 KB, png". */
export function pictureFrom(base64: string, format: string, detail?: string): Media {
  const head = decodeBase64(base64.slice(0, HEAD_CHARACTERS));
  const size = head && pictureSize(head);
  const about = [
    ...(size === undefined ? [] : [`${size.width}×${size.height}`]),
    sizeOf(base64Bytes(base64)),
    size?.format ?? format,
    ...(detail === undefined ? [] : [detail]),
  ];
  return {
    type: "media",
    media: "image",
    description: about.join(", "),
    url: `data:image/${size?.format ?? format};base64,${base64}`,
  };
}

/** The content of a body or of a part of one, with what is known of it in front of its size. */
export function mediaBytes(
  media: Media["media"],
  bytes: Uint8Array,
  { type, name }: { readonly type: string; readonly name?: string },
): Media {
  const description = [...(name === undefined ? [] : [name]), type, sizeOf(bytes.byteLength)].join(", ");
  return { type: "media", media, description, url: `data:${type};base64,${encodeBase64(bytes)}` };
}

export function mediaKind(type: string): Media["media"] {
  return (["image", "audio", "video"] as const).find((kind) => type.startsWith(`${kind}/`)) ?? "file";
}

const base64Bytes = (base64: string): number => Math.floor((base64.replace(/=+$/, "").length * 3) / 4);

/** What the first bytes of a picture tell of it; `width` and `height` in pixels. */
export interface PictureSize {
  readonly format: "png" | "jpeg" | "gif" | "webp";
  readonly width: number;
  readonly height: number;
}

/**
 * The size of a picture from its beginning; undefined where it is of no known format or too short.
 * Sources: W3C PNG 11.2.2, ITU-T T.81 B.2.2, GIF89a 18, developers.google.com/speed/webp/docs/riff_container.
 */
export function pictureSize(head: Uint8Array): PictureSize | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  try {
    return sizeIn(view);
  } catch (error) {
    // The header goes on behind what is there.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sizeIn(view: DataView): PictureSize | undefined {
  if (view.getUint32(0) === 0x89504e47)
    return { format: "png", width: view.getUint32(16), height: view.getUint32(20) };
  if (view.getUint32(0) === 0x47494638)
    return { format: "gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return webpSize(view);
  return view.getUint16(0) === 0xffd8 ? jpegSize(view) : undefined;
}

/** Three kinds of WebP: lossy, lossless and extended. */
function webpSize(view: DataView): PictureSize | undefined {
  const kind = view.getUint32(12);
  if (kind === 0x56503820) {
    const width = view.getUint16(26, true) & 0x3fff;
    return { format: "webp", width, height: view.getUint16(28, true) & 0x3fff };
  }
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { format: "webp", width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (kind !== 0x56503858) return undefined;
  return { format: "webp", width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** The size stands in the frame header, behind segments of any length. */
function jpegSize(view: DataView): PictureSize | undefined {
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { format: "jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
