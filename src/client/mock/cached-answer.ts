import type { Answer, Outcome } from "../../core/call.ts";
import { chatError, invalid } from "../errors.ts";
import { isFields } from "../../core/protocol/reading/lenient.ts";
import type { StreamEvent } from "../part-stream.ts";

/** What an engine answered, as the events that were recorded or made. @throws ChatError for a miss or a failure */
export async function* eventsOf(answer: Answer): AsyncGenerator<StreamEvent, void, undefined> {
  const { body, status } = answer.reply;
  const decoder = new TextDecoder();
  const chunks = body instanceof Uint8Array ? [body] : body;
  if (status !== 200) throw failure(await textOf(chunks), status, answer.outcome);
  let rest = "";
  for await (const chunk of chunks) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = texts.pop() ?? "";
    for (const text of texts) yield* eventsIn(text, answer.entry);
  }
  yield* eventsIn(rest, answer.entry);
}

/** The event of a line; the default reply has all of its events in one. */
function eventsIn(line: string, entry = "the reply"): readonly StreamEvent[] {
  if (line.trim() === "") return [];
  const read: unknown = jsonOf(line);
  const events: readonly unknown[] =
    isFields(read) && Array.isArray(read["events"]) ? read["events"] : [read];
  if (events.every(isEvent)) return events;
  throw invalid(entry, "a line of it is no event", "Correct the recording, or make it again.");
}

/** What kinds of events there are is the merger's to say. */
function isEvent(value: unknown): value is StreamEvent {
  return isFields(value) && typeof value["type"] === "string";
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

function failure(body: string, status: number, outcome: Outcome): Error {
  const message = messageIn(body) ?? body;
  return chatError(outcome === "miss" ? "not-recorded" : "unknown", message, { status });
}

/** The text of a failure in the plain dialect's shape. */
function messageIn(body: string): string | undefined {
  const read = jsonOf(body);
  const error = isFields(read) ? read["error"] : undefined;
  return isFields(error) && typeof error["message"] === "string" ? error["message"] : undefined;
}
