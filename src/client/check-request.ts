import { checkMessage } from "./check-message.ts";
import { checkSettings } from "./check-settings.ts";
import { checkOutput, checkToolChoice, checkTools } from "./check-tools.ts";
import { cancelled, invalid } from "./errors.ts";
import { type Fields, isFields } from "../core/protocol/reading/lenient.ts";
import { shown, typeName } from "./json/plain.ts";
import type { ChatRequest } from "./request.ts";

/**
 * Refuses what no provider can answer, before anything is sent; every client calls it first. What one provider alone
 * cannot do is its adapter's to refuse.
 * @throws ChatError "validation" with the place (`messages[2].parts[0].source`), or "cancelled" where the signal has
 * already aborted.
 */
export function checkRequest(request: ChatRequest): void {
  const given = requestObject(request);
  checkMessages(given["messages"]);
  checkTools(given["tools"]);
  checkToolChoice(given["toolChoice"], request.tools ?? []);
  checkOutput(given["output"]);
  checkSettings(given["settings"]);
  checkSignal(given["signal"]);
}

/** Whether there is a request at all: enough for who passes it on to a client that checks it. */
export function requestObject(request: unknown): Fields {
  if (isFields(request)) return request;
  throw invalid("request", `an object is expected, got ${typeName(request)}`);
}

function checkMessages(messages: unknown): void {
  if (!Array.isArray(messages)) throw invalid("messages", `a list is expected, got ${typeName(messages)}`);
  if (messages.length === 0)
    throw invalid("messages", "the list is empty", 'Give at least one message, e.g. user("…").');
  messages.forEach((message: unknown, index) => checkMessage(message, `messages[${index}]`));
}

function checkSignal(signal: unknown): void {
  if (signal === undefined) return;
  if (!(signal instanceof AbortSignal))
    throw invalid("signal", `an AbortSignal is expected, got ${shown(signal)}`);
  if (signal.aborted) throw cancelled(signal.reason);
}
