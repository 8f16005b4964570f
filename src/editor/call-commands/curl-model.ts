import { decodeUtf8, withContentType } from "../../core/base/wire/text.ts";
import type { RecordedRequest } from "../../core/cassette/recording.ts";
import type { Provider } from "../../core/protocol/base/protocol.ts";

interface CurlOptions {
  readonly provider: Pick<Provider, "name" | "dialect" | "keyVariables">;
  /** The provider's address without a trailing slash. */
  readonly upstream: string;
  readonly request: RecordedRequest;
}

/** Maximum length of an argument. Linux refuses longer ones (MAX_ARG_STRLEN, 128 KiB); the builtin `printf` does not. */
const LONGEST_ARGUMENT = 100_000;

/**
 * Returns the call as a bash command that sends the same bytes. It contains no key: the shell expands the variable that
 * holds it.
 */
export function writeCurlCommand({ provider, upstream, request }: CurlOptions): string {
  const { method, path, body } = request;
  const payload = body.length === 0 ? undefined : payloadOf(body);
  const lines = [
    `${payload?.before ?? ""}curl ${method === "POST" && payload ? "" : `-X ${quoteWord(method)} `}--globoff --no-buffer ${quoteWord(upstream + path)}`,
    ...headersOf(provider, request).map((header) => `-H ${header}`),
    ...(payload ? [payload.option] : []),
  ];
  return `${lines.join(" \\\n  ")}\n`;
}

/** Headers with the key are in double quotes, so that the shell expands it. They contain nothing of the request. */
function headersOf(
  { dialect, keyVariables }: CurlOptions["provider"],
  request: RecordedRequest,
): readonly string[] {
  const headers: string[] = [];
  const variable = keyVariables.find((name) => /^\w+$/u.test(name));
  const isVersioned = request.headers?.some(([name]) => name === "anthropic-version") === true;
  if (dialect.name === "anthropic" && !isVersioned) headers.push(`"anthropic-version: 2023-06-01"`);
  if (variable !== undefined)
    headers.push(
      dialect.name === "anthropic" ? `"x-api-key: $${variable}"` : `"Authorization: Bearer $${variable}"`,
    );
  const type = request.body.length > 0 ? (request.contentType ?? "application/json") : undefined;
  headers.push(...withContentType(request.headers ?? [], type).map((header) => quoteWord(header.join(": "))));
  return headers;
}

interface Payload {
  /** The command that pipes the body to curl, if the body is not an argument. */
  readonly before: string;
  readonly option: string;
}

function payloadOf(body: Uint8Array): Payload {
  const text = decodeUtf8(body);
  // A shell argument cannot contain these bytes.
  if (text === undefined || text.includes("\0")) {
    const encoded = Buffer.from(body).toString("base64");
    return { before: `printf %s '${encoded}' | base64 -d | `, option: "--data-binary @-" };
  }
  const argument = quoteWord(text);
  return argument.length <= LONGEST_ARGUMENT
    ? { before: "", option: `--data-raw ${argument}` }
    : { before: `printf %s ${argument} | `, option: "--data-binary @-" };
}

/** Quotes one bash word. Escapes control characters, because a terminal would execute them on paste. */
function quoteWord(text: string): string {
  if (!/(?!\n)\p{Cc}/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replace(/[\\']/gu, "\\$&").replace(/(?!\n)\p{Cc}/gu, escapeControl);
  return `$'${escaped}'`;
}

/** Escapes bytes, not code points, because `\u` in bash depends on the locale. */
function escapeControl(control: string): string {
  return [...new TextEncoder().encode(control)]
    .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
    .join("");
}
