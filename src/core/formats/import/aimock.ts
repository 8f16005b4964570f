import { localize } from "../../base/localize.ts";
import { findUnknownField } from "./body-fields.ts";
import { WIRES, type FixtureCall } from "./aimock-wire.ts";
import type { FileSource, ImportedEntry } from "./found.ts";
import {
  at,
  isObject,
  itemsOf,
  membersOf,
  numberAt,
  textAt,
  jsonText,
  type FileTree,
  noStatusText,
  statusIn,
} from "./tree.ts";
import { pickDefined } from "../../base/pick-defined.ts";

/** Members of a match that describe a single request; all others match several. */
const EXACT = new Set(["userMessage", "model", "sequenceIndex", "endpoint", "turnIndex", "hasToolResult"]);

/**
 * Reads fixtures of aimock, written by hand or by its recorder, whose file names contain provider and time. A fixture
 * answers all requests that it matches. The recording answers the simplest one, if the fixture has the user's message
 * and the model. Source: aimock's types of fixtures, and files of its recorder 1.43.
 */
export function readAimock(tree: FileTree, { fileName }: FileSource): readonly ImportedEntry[] {
  const recorded = recorderOf(fileName);
  return fixturesOf(tree).map((one, index) => fixture(one, `fixture ${index + 1}`, recorded));
}

export function isAimock(tree: FileTree): boolean {
  const [first] = fixturesOf(tree);
  return isObject(at(first, "match")) && at(first, "response") !== undefined;
}

function fixturesOf(tree: FileTree): readonly FileTree[] {
  return isObject(tree) ? itemsOf(at(tree, "fixtures")) : itemsOf(tree);
}

interface Recorded {
  readonly provider: string;
  /** ISO 8601. */
  readonly at: string;
}

const RECORDED = /^([a-z][a-z-]*)-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-[0-9a-f]+\.json$/;

/** Parses a name like `openai-2026-01-05T12-00-00-000Z-1a2b3c4d.json`; returns undefined for a handwritten file. */
function recorderOf(fileName: string): Recorded | undefined {
  const [, provider, day, hours, minutes, seconds, ms] = RECORDED.exec(fileName) ?? [];
  return provider === undefined
    ? undefined
    : { provider, at: `${day}T${hours}:${minutes}:${seconds}.${ms}Z` };
}

function fixture(one: FileTree, place: string, recorded: Recorded | undefined): ImportedEntry {
  const match = at(one, "match");
  const response = at(one, "response");
  const provider = recorded?.provider ?? "openai";
  const wire = Object.hasOwn(WIRES, provider) ? WIRES[provider] : undefined;
  const skipped = whyUnknown(one) ?? whyNoAnswer(response) ?? findUnknownField(response, []);
  if (skipped !== undefined) return { place, skipped };
  if (wire === undefined) return { place, skipped: whyNoWire(provider) };
  const matched = { user: textAt(match, "userMessage") ?? "", model: textAt(match, "model") ?? "" };
  const { request, reply } = wire({ ...matched, ...answerOf(one, recorded) });
  return { place, request, reply, ...(recorded && { recordedAt: recorded.at }) };
}

function whyNoWire(provider: string): string {
  return provider === "anthropic"
    ? localize("belongs to Anthropic, whose calls need max_tokens, which aimock does not record")
    : localize("belongs to {0}, whose calls need more than aimock records", provider);
}

/** Returns why the request cannot be reconstructed. */
function whyUnknown(one: FileTree): string | undefined {
  const match = at(one, "match");
  const endpoint = textAt(match, "endpoint") ?? "chat";
  if (endpoint !== "chat")
    return localize('is for the endpoint "{0}", and only chats can be imported', endpoint);
  if (textAt(match, "userMessage") === undefined)
    return localize("does not have the user's message, so that its request is unknown");
  if (textAt(match, "model") === undefined)
    return localize("does not name a model, so that its request is unknown");
  const open = membersOf(match).find(([name]) => !EXACT.has(name))?.[0];
  if (open !== undefined) return localize("matches by {0}, so that its request is only partly known", open);
  if (at(match, "hasToolResult") === true)
    return localize("answers tool results, which aimock does not record");
  if ((numberAt(match, "turnIndex") ?? 0) > 0)
    return localize("is a later turn of a conversation, and aimock records only its last message");
  const hashed = [
    ...(at(one, "metadata", "systemHash") === undefined ? [] : [localize("a system prompt")]),
    ...(at(one, "metadata", "toolsHash") === undefined ? [] : ["tools"]),
  ];
  return hashed.length === 0
    ? undefined
    : localize("had {0} in its request, and aimock records only a hash", hashed.join(" and "));
}

function whyNoAnswer(response: FileTree | undefined): string | undefined {
  // Without a status, aimock answers with 200.
  const status = statusIn(response);
  if (status === "unreadable") return noStatusText();
  if (at(response, "error") !== undefined || (typeof status === "number" && (status < 200 || status >= 300)))
    return localize("is an error, which is never recorded");
  return replyText(response) === null && itemsOf(at(response, "toolCalls")).length === 0
    ? localize("has a reply that is neither text nor tool calls")
    : undefined;
}

function replyText(response: FileTree | undefined): string | null {
  const content = at(response, "content");
  return typeof content === "string" ? content : isObject(content) ? jsonText(content ?? null) : null;
}

/** Reads the answer. Only a stream has times between its pieces. */
function answerOf(one: FileTree, recorded: Recorded | undefined): Omit<FixtureCall, "user" | "model"> {
  const response = at(one, "response");
  const [id, created, model] = [
    textAt(response, "id"),
    numberAt(response, "created"),
    textAt(response, "model"),
  ];
  const usage = at(response, "usage");
  return {
    streamed: isObject(at(one, "recordedTimings")),
    text: replyText(response),
    thinking: textAt(response, "reasoning"),
    calls: itemsOf(at(response, "toolCalls")).map((call, index) => {
      const given = at(call, "arguments");
      return {
        id: textAt(call, "id") ?? `call_${index + 1}`,
        name: textAt(call, "name") ?? "",
        arguments: typeof given === "string" ? given : jsonText(given ?? { members: [] }),
      };
    }),
    finish: textAt(response, "finishReason"),
    usage: usage === undefined ? undefined : jsonText(usage),
    at: recorded?.at ?? "1970-01-01T00:00:00Z",
    envelope: pickDefined({ id, created, model }),
  };
}
