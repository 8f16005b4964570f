import { bytesOf } from "../../wire/text.ts";
import { JSON_TYPE, type Found } from "./found.ts";
import { NO_STATUS, statusIn } from "./status.ts";
import { at, isObject, itemsOf, membersOf, numberAt, textAt, jsonText, type FileTree } from "./tree.ts";

/** Members of a match that say one request alone; all others leave open what else was asked. */
const EXACT = new Set(["userMessage", "model", "sequenceIndex", "endpoint"]);

/**
 * Fixtures of aimock, which answer every request that they match. A recording answers one request: the plainest one
 * that a fixture matches, where it says what the user said and to which model. Source: aimock's types of fixtures.
 */
export function readAimock(tree: FileTree): readonly Found[] {
  return fixturesOf(tree).map((one, index) => fixture(one, `fixture ${index + 1}`));
}

export function isAimock(tree: FileTree): boolean {
  const [first] = fixturesOf(tree);
  return isObject(at(first, "match")) && at(first, "response") !== undefined;
}

function fixturesOf(tree: FileTree): readonly FileTree[] {
  return isObject(tree) ? itemsOf(at(tree, "fixtures")) : itemsOf(tree);
}

function fixture(one: FileTree, place: string): Found {
  const match = at(one, "match");
  const [said, model] = [textAt(match, "userMessage"), textAt(match, "model")];
  if (said === undefined)
    return { place, skipped: "does not say what the user said, so that no request is known" };
  if (model === undefined)
    return { place, skipped: "names no model, which a call does, so that no request is known" };
  const open = membersOf(match).find(([name]) => !EXACT.has(name))?.[0];
  if (open !== undefined)
    return { place, skipped: `matches by ${open}, so that its request is known in part only` };
  const endpoint = textAt(match, "endpoint") ?? "chat";
  if (endpoint !== "chat")
    return { place, skipped: `is for the endpoint "${endpoint}", of which only chats can be made` };
  const response = at(one, "response");
  const message = messageOf(response);
  // A fixture that says none is answered with 200 by aimock itself.
  const status = statusIn(response);
  if (status === "unreadable") return { place, skipped: NO_STATUS };
  if (at(response, "error") !== undefined || (typeof status === "number" && (status < 200 || status >= 300)))
    return { place, skipped: "is an error, which is never recorded" };
  if (message === undefined) return { place, skipped: "has a reply that is neither text nor calls of tools" };
  const asked = { model, messages: [{ role: "user", content: said }] };
  return {
    place,
    request: {
      method: "POST",
      url: "https://api.openai.com/v1/chat/completions",
      headers: [JSON_TYPE],
      body: bytesOf(JSON.stringify(asked)),
    },
    reply: { status: 200, headers: [JSON_TYPE], body: bytesOf(completion(response, message, model)) },
  };
}

interface Message {
  readonly json: object;
  readonly finish: string;
}

function messageOf(response: FileTree | undefined): Message | undefined {
  const content = at(response, "content");
  const text = typeof content === "string" ? content : isObject(content) ? jsonText(content ?? null) : null;
  const calls = itemsOf(at(response, "toolCalls")).map((call, index) => {
    const given = at(call, "arguments");
    return {
      id: textAt(call, "id") ?? `call_${index + 1}`,
      type: "function",
      function: {
        name: textAt(call, "name") ?? "",
        arguments: typeof given === "string" ? given : jsonText(given ?? { members: [] }),
      },
    };
  });
  if (text === null && calls.length === 0) return undefined;
  const finish = textAt(response, "finishReason") ?? (calls.length > 0 ? "tool_calls" : "stop");
  return {
    json: { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) },
    finish,
  };
}

/** Where the fixture says nothing of an answer's envelope, neither does the recording. */
function completion(response: FileTree | undefined, { json, finish }: Message, model: string): string {
  const [id, created, usage] = [textAt(response, "id"), numberAt(response, "created"), at(response, "usage")];
  const text = JSON.stringify({
    id: id ?? "chatcmpl-imported",
    object: "chat.completion",
    created: created ?? 0,
    model: textAt(response, "model") ?? model,
    choices: [{ index: 0, message: json, finish_reason: finish }],
  });
  return usage === undefined ? text : `${text.slice(0, -1)},"usage":${jsonText(usage)}}`;
}
