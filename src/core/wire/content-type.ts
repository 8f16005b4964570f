/** The content type among a message's headers (lower-case names), as an object to spread. */
export function contentTypeOf(headers: readonly (readonly [name: string, value: string])[]): {
  readonly contentType?: string;
} {
  const found = headers.find(([name]) => name === "content-type")?.[1];
  return found === undefined ? {} : { contentType: found };
}

/** Headers with this content type, whether they have one or not. */
export function withContentType(
  headers: readonly (readonly [name: string, value: string])[],
  contentType: string | undefined,
): readonly (readonly [name: string, value: string])[] {
  if (contentType === undefined) return headers;
  return [["content-type", contentType], ...headers.filter(([name]) => name !== "content-type")];
}

/** Whether a body is sound, a picture or a file: something of which a client may use the beginning before its end. */
export function isMedia(contentType: string | undefined): boolean {
  return /^\s*(?:audio|video|image|application\/octet-stream)\b/i.test(contentType ?? "");
}

/** Whether a body says that it is one JSON value. */
export function isJson(contentType: string | undefined): boolean {
  return /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? "");
}
