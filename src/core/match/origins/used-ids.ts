import { isFields, readFields, tryParsePlainJson } from "../../base/lenient.ts";
import { decodeText } from "../../base/wire/text.ts";
import type { ReplyLink } from "../../call/given-replies.ts";
import { findOccurrences, getPathEnd } from "./values.ts";

/** The parts of a request in which ids of earlier replies are. */
export interface LinkingRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array;
}

/** How a request uses ids of earlier replies. */
export interface UsedIds {
  /** Ids of something that the provider keeps, so that it has to know them. */
  readonly needed: ReadonlySet<string>;
  /** Those whose state the request changes: later requests with them depend on it. */
  readonly changed: ReadonlySet<string>;
  /** Conversations, threads, and sessions to which the request adds. */
  readonly continued: ReadonlySet<string>;
}

/** Ids of tool calls and of items are part of a conversation that the client sends. */
const CALL_IDS = /^(?:tool_?call_?id|call_?id|tool_?use_?id)$/i;
/** Texts for a model, which may quote an id. */
const TEXTS = /^(?:text|content|input|output|arguments|instructions|prompt|description|title)$/;
/** Objects with an `id` of something that the provider keeps. */
const KEPT = /^(?:conversation|container|thread|session|prompt|environment|agent|skills?)$/;
/** Members that name what a call continues and so changes. */
const CHANGED = /^(?:conversation|container|thread|session)(?:_?id)?$/i;

/**
 * Members and parts of paths that name a conversation. Calls add to one of these in turn. A container is none, because calls
 * can use it at the same time.
 */
const CONTINUED = /^(?:conversation|thread|session)s?(?:_?id)?$/i;

/** Finds out which ids the provider has to know: those in the path, and those that are a value of the body on their own. */
export function findUsedIds({ method, path, body }: LinkingRequest, links: readonly ReplyLink[]): UsedIds {
  const needed = new Set<string>();
  const changed = new Set<string>();
  const continued = new Set<string>();
  const isRead = method === "GET" || method === "HEAD";
  for (const { start, end } of findOccurrences(path, links)) {
    const id = path.slice(start, end);
    needed.add(id);
    if (isRead) continue;
    changed.add(id);
    if (CONTINUED.test(getPathEnd(path.slice(0, start - 1)))) continued.add(id);
  }
  const ids = new Set(links.map(({ text }) => text));
  const use = (value: string, name: string, isText: boolean): void => {
    const id = getPathEnd(value);
    if (isText || !ids.has(id)) return;
    needed.add(id);
    if (CHANGED.test(name)) changed.add(id);
    if (CONTINUED.test(name)) continued.add(id);
  };
  if (ids.size > 0) visitTexts(tryParsePlainJson(decodeText(body)), "", use);
  return { needed, changed, continued };
}

/** Members whose value names something that the provider keeps. */
const NAMED = /(?:_ids?|Ids?|Uri|_uri|cachedContent|cached_content|conversation|container|thread|session)$/;

/** Lists what looks like an id of something that the provider keeps, wherever the request has it from. */
export function listIdsOfRequest({ path, body }: LinkingRequest): readonly string[] {
  const found = new Set<string>();
  const add = (text: string): void => {
    const id = getPathEnd(text);
    if (/^(?=[^a-zA-Z]*[a-zA-Z])(?=\D*\d)[A-Za-z0-9][\w-]{7,255}$/.test(id)) found.add(id);
  };
  for (const segment of path.replace(/\/(?:models|deployments)\/[^/?]+/, "").split(/[/?&=]/)) add(segment);
  visitTexts(tryParsePlainJson(decodeText(body)), "", (value, name, isText) => {
    if (!isText && (NAMED.test(name) || KEPT.test(name))) add(value);
  });
  return [...found];
}

/** Visits each text with the name of its member. `isText` is true for what a model reads, and for ids of calls and items. */
function visitTexts(
  value: unknown,
  name: string,
  visit: (text: string, name: string, isText: boolean) => void,
): void {
  if (typeof value === "string") visit(value, name, TEXTS.test(name) || CALL_IDS.test(name));
  else if (Array.isArray(value)) for (const one of value as readonly unknown[]) visitTexts(one, name, visit);
  else if (isFields(value))
    for (const [member, inner] of Object.entries(readFields(value))) {
      if (member !== "id" || typeof inner !== "string") visitTexts(inner, member, visit);
      else visit(inner, name, !KEPT.test(name) && value["type"] !== "item_reference");
    }
}
