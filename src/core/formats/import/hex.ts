/** The bytes of an even number of hexadecimal digits; undefined for any other text. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 === 1 || !/^[0-9a-f]*$/i.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  );
}
