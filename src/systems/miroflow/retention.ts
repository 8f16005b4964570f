import { expectObjects } from "../../client/check-options.ts";
import { invalid } from "../../client/errors.ts";
import { type Fields, readFields, readList } from "../../core/base/lenient.ts";
import type { TaskLog } from "./log-format.ts";

const STEP = "LLM | Message Retention";

/** Text that replaces a result. */
export const OMITTED = "Tool result is omitted to save tokens.";

export interface RetentionOptions {
  readonly log?: TaskLog;
  /** Selects the messages that are the task or a tool's result. Default: those of role user or tool. */
  readonly isToolResult?: (message: Fields) => boolean;
  /** "replace" keeps all messages and replaces the texts of old results; "drop" removes old results and their calls. */
  readonly how?: "replace" | "drop";
}

/**
 * Returns the conversation with the first task and the last `keep` tool results; −1 keeps all. The given list and
 * its messages are not changed.
 * @throws ChatError "validation" if `messages` is not a list of objects, or `keep` not a whole number from −1
 */
export function retainToolResults(
  messages: readonly Fields[],
  keep: number,
  options: RetentionOptions = {},
): readonly Fields[] {
  const { log, isToolResult = isUserOrTool, how = "replace" } = options;
  expectKeep(keep);
  expectObjects(messages, "messages");
  if (keep === -1) return [...messages];
  const places = messages.flatMap((message, index) => (isToolResult(message) ? [index] : []));
  const [task, ...results] = places;
  if (task === undefined) {
    log?.("info", STEP, "No user/tool messages found in the history.");
    return [...messages];
  }
  if (results.length === 0) {
    log?.("info", STEP, "Only 1 user message found (initial task). Keeping it as is.");
    return [...messages];
  }
  const kept = keep === 0 ? [] : results.slice(-keep);
  const counts = `Total user/tool messages: ${places.length}, Initial task at index: ${task}`;
  const keeping = `Keeping last ${kept.length} tool results at indices: [${kept.join(", ")}]`;
  log?.(
    "info",
    STEP,
    `Message retention summary: ${counts}, ${keeping}, Total messages to keep: ${kept.length + 1}`,
  );
  const left = new Set(results.filter((index) => !kept.includes(index)));
  if (how === "drop") return withoutPairs(messages, left);
  return messages.map((message, index) =>
    left.has(index) ? { ...message, content: omitContent(message) } : message,
  );
}

export function expectKeep(keep: number): void {
  if (!Number.isInteger(keep) || keep < -1)
    throw invalid("keep_tool_result", `must be −1 or a whole number from 0, not ${keep}`);
}

const isUserOrTool = ({ role }: Fields): boolean => role === "user" || role === "tool";

function omitContent({ content }: Fields): unknown {
  return Array.isArray(content) ? [{ type: "text", text: OMITTED }] : OMITTED;
}

/** Removes these results and their calls, by ID or else in the assistant's message right before. */
function withoutPairs(messages: readonly Fields[], left: ReadonlySet<number>): readonly Fields[] {
  const calls = new Set<unknown>();
  const gone = new Set(left);
  for (const index of left) {
    const ids = answeredIds(messages[index] ?? {});
    for (const id of ids) calls.add(id);
    if (ids.length === 0 && messages[index - 1]?.["role"] === "assistant") gone.add(index - 1);
  }
  return messages.flatMap((message, index) => {
    if (gone.has(index)) return [];
    return message["role"] === "assistant" ? withoutCalls(message, calls) : [message];
  });
}

function answeredIds(message: Fields): readonly string[] {
  const { tool_call_id: id, content } = message;
  if (typeof id === "string") return [id];
  return readList(content).flatMap((block) => {
    const { type, tool_use_id: called } = readFields(block);
    return type === "tool_result" && typeof called === "string" ? [called] : [];
  });
}

/** Returns the message without these calls; none if nothing is left. */
function withoutCalls(message: Fields, calls: ReadonlySet<unknown>): readonly Fields[] {
  const isOther = (call: unknown): boolean => !calls.has(readFields(call)["id"]);
  const { tool_calls: own, content } = message;
  const ownLeft = readList(own).filter(isOther);
  const blocks = Array.isArray(content)
    ? readList(content).filter((block) => readFields(block)["type"] !== "tool_use" || isOther(block))
    : content;
  const isSame =
    ownLeft.length === readList(own).length && readList(blocks).length === readList(content).length;
  if (isSame) return [message];
  const { tool_calls: _, ...rest } = message;
  const isEmpty = ownLeft.length === 0 && (Array.isArray(blocks) ? blocks.length === 0 : !blocks);
  return isEmpty ? [] : [{ ...rest, content: blocks, ...(ownLeft.length > 0 && { tool_calls: ownLeft }) }];
}
