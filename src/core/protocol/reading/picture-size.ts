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
