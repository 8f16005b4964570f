import { createHash } from "node:crypto";

interface Picture {
  /** A file name by content, with the extension of its type. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "txt", // an SVG can contain scripts, so it is shown as text
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "application/pdf": "pdf",
};

const DATA = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*(;base64)?,(.*)$/su;

/** Decodes a `data:` address; undefined if it is invalid. */
export function readPictureUrl(url: string): Picture | undefined {
  const [whole, type = "text/plain", base64, content = ""] = DATA.exec(url) ?? [];
  if (whole === undefined) return undefined;
  const bytes = base64 === undefined ? bytesFromPercent(content) : Buffer.from(content, "base64");
  if (bytes === undefined) return undefined;
  const name = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return { name: `${name}.${ENDINGS[type.toLowerCase()] ?? "txt"}`, bytes };
}

function bytesFromPercent(content: string): Uint8Array | undefined {
  try {
    return new TextEncoder().encode(decodeURIComponent(content));
  } catch {
    return undefined;
  }
}
