import type { MediaSource } from "../message.ts";

/** The source that a base64 `data:` address is. */
export function parsedDataUrl(url: string): MediaSource | undefined {
  const [, mediaType, data] = /^data:([^;,]+)(?:;[^;,]*)*?;base64,(.+)$/is.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { kind: "base64", mediaType, data };
}
