/** The content type among a message's headers (lower-case names), as an object to spread. */
export function contentTypeOf(headers: readonly (readonly [name: string, value: string])[]): {
  readonly contentType?: string;
} {
  const found = headers.find(([name]) => name === "content-type")?.[1];
  return found === undefined ? {} : { contentType: found };
}
