import { type Fields, readFields, readList, readString } from "../../core/base/lenient.ts";
import { takeCodePoints } from "../../client/code-points.ts";
import { writePythonRepr } from "../../client/python/write.ts";
import type { LogLevel } from "../../client/surroundings.ts";

const LONGEST_TEXT = 500;
const LONGEST_INPUT = 200;

/** Formats a response for a log: cuts texts and omits unknown blocks. `type` names the kind of response. */
export function formatResponseForLog(response: unknown, type = responseType(response)): Fields {
  if (typeof response !== "object" || response === null) return {};
  const { content, choices } = readFields(response);
  return {
    response_type: type,
    ...(content !== undefined && { content: readList(content).flatMap(shownBlock) }),
    ...(choices !== undefined && { choices: readList(choices).map(shownChoice) }),
  };
}

function responseType(response: unknown): string {
  const { object, type } = readFields(response);
  return readString(object) ?? readString(type) ?? "response";
}

function shownBlock(block: unknown): readonly Fields[] {
  const { type, text, id, name, input } = readFields(block);
  if (type === "text") return [{ type, text: cut(readString(text) ?? "", LONGEST_TEXT) }];
  if (type === "tool_use")
    return [{ type, id, name, input: cut(writePythonRepr(input ?? null), LONGEST_INPUT) }];
  return [];
}

function shownChoice(choice: unknown): Fields {
  const { finish_reason: reason, message } = readFields(choice);
  if (message === undefined) return { finish_reason: reason };
  const { role, content, tool_calls: calls } = readFields(message);
  const shown = {
    role,
    content: typeof content === "string" ? cut(content, LONGEST_TEXT) : content,
    ...(readList(calls).length > 0 && { tool_calls_count: readList(calls).length }),
  };
  return { finish_reason: reason, message: shown };
}

function cut(text: string, characters: number): string {
  const begin = takeCodePoints(text, characters);
  return begin === text ? text : `${begin}...`;
}

/** Receives the lines of a task's log. `stepId` is the turn of a line. */
export type TaskLog = (level: LogLevel, step: string, message: string, stepId?: number) => void;
