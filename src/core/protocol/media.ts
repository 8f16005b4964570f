import type { Part } from "./protocol.ts";

type Media = Extract<Part, { type: "media" }>;

/** A picture, sound or file that is somewhere: at a web address or inside the request as a `data:` address. */
export function mediaAt(media: Media["media"], url: string, detail?: string): Media {
  const inline = /^data:([^;,]*)[^,]*,/.exec(url);
  const about = inline ? [inline[1] || media, sizeWords(url.length - inline[0].length)] : [media];
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

function sizeWords(base64Length: number): string {
  const bytes = Math.floor((base64Length * 3) / 4);
  if (bytes < 1024) return `${bytes} bytes`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
