import { localize } from "../base/localize.ts";
import type { TapedeckError } from "../base/errors.ts";
import { isFields, type Fields } from "../base/lenient.ts";
import type { ScriptedReply } from "../call/mocks.ts";
import {
  checkFailure,
  readEntryFields,
  checkNumber,
  readMockFile,
  checkTextField,
} from "./read-mock-file.ts";

/**
 * Reads a script: a JSON list, or one JSON value a line. Each is a text, or an object with
 * the reply and the calls that it is for.
 * @throws TapedeckError `tapedeck_usage` with the file and the position
 */
export function readScript(text: string, file: string): readonly ScriptedReply[] {
  return readMockFile(
    {
      what: localize("script"),
      one: "reply",
      hint: localize(
        'A script is a JSON list, or one JSON value per line: "a text" or {"reply": "a text", "model": "gpt-4o", "text": "hello", "times": 2}. See docs/mocks.md.',
      ),
      read: readReply,
    },
    text,
    file,
  );
}

type Fault = (why: string) => TapedeckError;

const ANSWERS = ["reply", "kosong", "status"];
const NAMES = [...ANSWERS, "message", "retryAfter"];

/** Reads one reply of a script. @throws the error that `fault` creates */
export function readReply(value: unknown, fault: Fault): ScriptedReply {
  if (typeof value === "string") return { reply: value };
  if (!isFields(value)) throw fault(localize("it must be a string, or an object with a reply"));
  const fields = readEntryFields(value, { one: "reply", names: NAMES }, fault);
  const [answer, another] = ANSWERS.filter((name) => fields[name] !== undefined);
  if (answer === undefined) throw fault(localize("it has no reply"));
  if (another !== undefined) throw fault(localize('"{0}" and "{1}" cannot be combined', answer, another));
  if (answer !== "status")
    for (const name of ["message", "retryAfter"])
      if (name in fields) throw fault(localize('"{0}" needs a status', name));
  if (answer === "status") checkFailure(fields, fault);
  checkTextField(fields, "kosong", fault);
  if (answer === "reply") checkAnswer(fields["reply"], fault);
  return fields as unknown as ScriptedReply;
}

const FINISHES = ["stop", "length", "content-filter"];

function checkAnswer(reply: unknown, fault: Fault): void {
  if (typeof reply === "string") return;
  if (!isFields(reply)) throw fault(localize("its reply is neither a string nor an object"));
  for (const name of Object.keys(reply)) {
    if (!["text", "toolCalls", "usage", "finish"].includes(name))
      throw fault(localize('"{0}" is unknown in a reply', name));
  }
  checkTextField(reply, "text", fault);
  const { toolCalls = [], usage = {}, finish = "stop" } = reply;
  if (typeof finish !== "string" || !FINISHES.includes(finish))
    throw fault(localize("finish must be {0}", FINISHES.map((one) => `"${one}"`).join(", ")));
  if (!isFields(usage)) throw fault(localize("usage must be an object"));
  for (const name of ["inputTokens", "outputTokens"]) checkNumber(usage, name, [0, Infinity], fault);
  if (!Array.isArray(toolCalls)) throw fault(localize("toolCalls must be a list"));
  for (const call of toolCalls as unknown[]) checkToolCall(call, fault);
  if (reply["text"] === undefined && toolCalls.length === 0)
    throw fault(localize("its reply has neither a text nor tool calls"));
}

function checkToolCall(call: unknown, fault: Fault): void {
  if (!isFields(call)) throw fault(localize("a tool call must be an object"));
  const { name, arguments: args = {} }: Fields = call;
  if (typeof name !== "string" || name === "") throw fault(localize("a tool call has no name"));
  if (typeof args !== "string" && !isFields(args))
    throw fault(localize("the arguments of {0} must be an object, or JSON text", name));
  checkTextField(call, "id", fault);
}
