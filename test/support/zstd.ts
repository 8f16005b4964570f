/** A chat request, and the same in Zstandard: made by Node 26, since older ones do not know it. */
export const CHAT = JSON.stringify({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: "grüezi ".repeat(30) }],
});
export const ZSTD_CHAT = Buffer.from(
  "KLUv/WAxAJUCAJQEeyJtb2RlbCI6ImdwdC00by1taW5pIiwibWVzc2FnZXMiOlt7InJvbGUiOiJ1c2VyIiwiY29udGVudCI6Imdyw7xlemkgIn1dfQEARXlUiQI=",
  "base64",
);

/** Compressed spaces of `mib` MiB, in 32 bytes for each MiB: blocks of one repeated byte. Source: RFC 8878 3.1.1.2. */
export function zstdBomb(mib: number): Buffer {
  const size = 131_072;
  const block = (isLast: boolean): Buffer => {
    const bytes = Buffer.alloc(4, 0x20);
    bytes.writeUIntLE((size << 3) | (1 << 1) | Number(isLast), 0, 3);
    return bytes;
  };
  const count = (mib * 1_048_576) / size;
  const blocks = Array.from({ length: count }, (_, at) => block(at === count - 1));
  // Magic number, no content size, no checksum, a window of 1 MiB.
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50]), ...blocks]);
}
