import { localize } from "../../base/localize.ts";
import { findUnknownField } from "./body-fields.ts";
import { WIRES, type FixtureCall } from "./aimock-wire.ts";
import type { FileSource, ImportedEntry } from "./found.ts";
import {
  getAt,
  isObject,
  listItems,
  listMembers,
  readTreeNumber,
  getTextAt,
  writeTreeAsJson,
  type FileTree,
  describeNoStatus,
  readStatus,
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
  return isObject(getAt(first, "match")) && getAt(first, "response") !== undefined;
}

function fixturesOf(tree: FileTree): readonly FileTree[] {
  return isObject(tree) ? listItems(getAt(tree, "fixtures")) : listItems(tree);
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
  const match = getAt(one, "match");
  const response = getAt(one, "response");
  const provider = recorded?.provider ?? "openai";
  const wire = Object.hasOwn(WIRES, provider) ? WIRES[provider] : undefined;
  const skipped = whyUnknown(one) ?? whyNoAnswer(response) ?? findUnknownField(response, []);
  if (skipped !== undefined) return { place, skipped };
  if (wire === undefined) return { place, skipped: whyNoWire(provider) };
  const matched = { user: getTextAt(match, "userMessage") ?? "", model: getTextAt(match, "model") ?? "" };
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
  const match = getAt(one, "match");
  const endpoint = getTextAt(match, "endpoint") ?? "chat";
  if (endpoint !== "chat")
    return localize('is for the endpoint "{0}", and only chats can be imported', endpoint);
  if (getTextAt(match, "userMessage") === undefined)
    return localize("does not have the user's message, so that its request is unknown");
  if (getTextAt(match, "model") === undefined)
    return localize("does not name a model, so that its request is unknown");
  const open = listMembers(match).find(([name]) => !EXACT.has(name))?.[0];
  if (open !== undefined) return localize("matches by {0}, so that its request is only partly known", open);
  if (getAt(match, "hasToolResult") === true)
    return localize("answers tool results, which aimock does not record");
  if ((readTreeNumber(match, "turnIndex") ?? 0) > 0)
    return localize("is a later turn of a conversation, and aimock records only its last message");
  const hashed = [
    ...(getAt(one, "metadata", "systemHash") === undefined ? [] : [localize("a system prompt")]),
    ...(getAt(one, "metadata", "toolsHash") === undefined ? [] : ["tools"]),
  ];
  return hashed.length === 0
    ? undefined
    : localize("had {0} in its request, and aimock records only a hash", hashed.join(" and "));
}

function whyNoAnswer(response: FileTree | undefined): string | undefined {
  // Without a status, aimock answers with 200.
  const status = readStatus(response);
  if (status === "unreadable") return describeNoStatus();
  if (
    getAt(response, "error") !== undefined ||
    (typeof status === "number" && (status < 200 || status >= 300))
  )
    return localize("is an error, which is never recorded");
  return replyText(response) === null && listItems(getAt(response, "toolCalls")).length === 0
    ? localize("has a reply that is neither text nor tool calls")
    : undefined;
}

function replyText(response: FileTree | undefined): string | null {
  const content = getAt(response, "content");
  return typeof content === "string" ? content : isObject(content) ? writeTreeAsJson(content ?? null) : null;
}

/** Reads the answer. Only a stream has times between its pieces. */
function answerOf(one: FileTree, recorded: Recorded | undefined): Omit<FixtureCall, "user" | "model"> {
  const response = getAt(one, "response");
  const [id, created, model] = [
    getTextAt(response, "id"),
    readTreeNumber(response, "created"),
    getTextAt(response, "model"),
  ];
  const usage = getAt(response, "usage");
  return {
    streamed: isObject(getAt(one, "recordedTimings")),
    text: replyText(response),
    thinking: getTextAt(response, "reasoning"),
    calls: listItems(getAt(response, "toolCalls")).map((call, index) => {
      const given = getAt(call, "arguments");
      return {
        id: getTextAt(call, "id") ?? `call_${index + 1}`,
        name: getTextAt(call, "name") ?? "",
        arguments: typeof given === "string" ? given : writeTreeAsJson(given ?? { members: [] }),
      };
    }),
    finish: getTextAt(response, "finishReason"),
    usage: usage === undefined ? undefined : writeTreeAsJson(usage),
    at: recorded?.at ?? "1970-01-01T00:00:00Z",
    envelope: pickDefined({ id, created, model }),
  };
}
