import { localize } from "../../base/localize.ts";
import { bytesOf } from "../../base/wire/text.ts";
import { JSON_TYPE, type ImportedEntry, type FoundMessage, headersOf } from "./found.ts";
import {
  at,
  bodyOf,
  firstAt,
  isObject,
  isValue,
  itemsOf,
  jsonText,
  textAt,
  type FileTree,
  statusIn,
} from "./tree.ts";

/**
 * Reads a recording of Llama Stack's inference tests, with one call per file. Replies are stored as objects of the Python
 * client (`__type__`, `__data__`), streams as lists of these; they are converted back to the endpoint's wire format.
 */
export function readLlamaStack(tree: FileTree): readonly ImportedEntry[] {
  const place = localize("the recording");
  const request = at(tree, "request");
  const url = addressOf(request);
  if (url === undefined)
    return [
      { place, skipped: localize("belongs to a tool or has no address, so it is not a call over HTTP") },
    ];
  const reply = at(tree, "response", "body");
  const response = at(tree, "response");
  const isException = at(response, "is_exception") === true;
  if (isException || firstAt(response, ["exception_data", "exception_message"]) !== undefined)
    return [{ place, skipped: localize("is an error, which is never recorded") }];
  const status = statusIn(at(tree, "response"));
  if (status === "unreadable" || (typeof status === "number" && (status < 200 || status >= 300)))
    return [{ place, skipped: localize("is an error, which is never recorded") }];
  if (!isValue(reply)) return [{ place, skipped: localize("has no reply") }];
  return [
    {
      place,
      request: {
        method: (textAt(request, "method") ?? "POST").toUpperCase(),
        url,
        headers: [...headersOf(at(request, "headers")), JSON_TYPE],
        body: bodyOf(at(request, "body")),
      },
      reply: { status: 200, ...(isStream(tree) ? streamBody(itemsOf(reply), url) : whole(reply, url)) },
    },
  ];
}

export function isLlamaStack(tree: FileTree): boolean {
  const request = at(tree, "request");
  return isObject(request) && isObject(at(tree, "response")) && at(request, "endpoint") !== undefined;
}

/** Returns the URL without a repeated version: the base address can end with the version that starts the endpoint. */
function addressOf(request: FileTree | undefined): string | undefined {
  const url = textAt(request, "url");
  if (url === undefined || !/^https?:\/\//.test(url)) return undefined;
  return url.replace(/\/(v\d+\w*)\/\1\//, "/$1/").replace("://0.0.0.0", "://127.0.0.1");
}

function isStream(tree: FileTree): boolean {
  return at(tree, "response", "is_streaming") === true && Array.isArray(at(tree, "response", "body"));
}

/** Composes a whole reply. A list was collected from one reply by the client. */
function whole(reply: FileTree | undefined, url: string): FoundMessage {
  const body = Array.isArray(reply) ? listBody(itemsOf(reply).map(dataOf), url) : dataOf(reply ?? null);
  return { headers: [JSON_TYPE], body: bytesOf(jsonText(body)) };
}

function listBody(data: readonly FileTree[], url: string): FileTree {
  if (url.includes("/api/")) return { members: [["models", data]] };
  return {
    members: [
      ["object", "list"],
      ["data", data],
    ],
  };
}

function streamBody(chunks: readonly FileTree[], url: string): FoundMessage {
  const texts = chunks.map((chunk) => jsonText(dataOf(chunk)));
  const { pathname } = new URL(url);
  if (pathname.startsWith("/api/"))
    return {
      headers: [["content-type", "application/x-ndjson"]],
      body: bytesOf(texts.map((text) => `${text}\n`).join("")),
    };
  const events = chunks.map((chunk, index) => {
    const type = /\/(?:responses|messages)$/.test(pathname) ? textAt(dataOf(chunk), "type") : undefined;
    return `${type === undefined ? "" : `event: ${type}\n`}data: ${texts[index] ?? ""}\n\n`;
  });
  const end = pathname.endsWith("/completions") ? "data: [DONE]\n\n" : "";
  return { headers: [["content-type", "text/event-stream"]], body: bytesOf(events.join("") + end) };
}

const dataOf = (tree: FileTree): FileTree => at(tree, "__data__") ?? tree;
