import { fieldsOf, jsonText, textIn, type Fields } from "./lenient.ts";
import type { Part } from "../protocol.ts";

/** A call of a function: `{ id, function: { name, arguments } }`, arguments as text or as a value. */
export function functionCallPart(value: unknown, withoutArguments = ""): Part {
  const call = fieldsOf(value);
  const called = fieldsOf(call["function"]);
  return calledPart(textIn(call["id"]), called, called["arguments"] ?? withoutArguments);
}

/** A call of what has a name; what it was given is a text, or a value that is shown as one. */
export function calledPart(id: string | undefined, called: Fields, given: unknown): Part {
  return {
    type: "tool-call",
    ...(id !== undefined && { id }),
    name: textIn(called["name"]) ?? "",
    arguments: typeof given === "string" ? given : jsonText(given),
  };
}

/** What a tool gave back, as the text of its content; `names` are the members that may say whose result it is. */
export function toolResultPart(fields: Fields, content: readonly Part[], names: readonly string[]): Part {
  const [id] = names.flatMap((name) => textIn(fields[name]) ?? []);
  const text = content.map((part) => ("text" in part ? part.text : "")).join("");
  return { type: "tool-result", ...(id !== undefined && { id }), text };
}
