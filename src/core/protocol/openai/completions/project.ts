import { fieldsOf, jsonText, listOf, present, textIn } from "../../reading/lenient.ts";
import { usageFrom } from "../chat/project.ts";
import type { Projection } from "../../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../../reading/reply.ts";
import { assemble } from "./assemble.ts";

/** The neutral reading of a completion, whole or streamed. */
export function projectCompletion(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "json") return projectWhole(read.value);
  const { completion, errors } = assemble(read.events);
  const projection = projectChoices(completion);
  const messages = [...projection.messages, ...errors.map(failureMessage)];
  return { ...projection, messages, events: read.events.length };
}

function projectWhole(value: unknown): Projection {
  const fields = fieldsOf(value);
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  return Array.isArray(fields["choices"]) ? projectChoices(value) : unreadable(jsonText(value));
}

function projectChoices(value: unknown): Projection {
  const fields = fieldsOf(value);
  const choices = listOf(fields["choices"]).map(fieldsOf);
  const reasons = new Set(choices.flatMap((choice) => textIn(choice["finish_reason"]) ?? []));
  return present({
    messages: choices.map(({ text }) => ({
      role: "assistant",
      parts: typeof text === "string" && text !== "" ? [{ type: "text" as const, text }] : [],
    })),
    usage: usageFrom(fields["usage"]),
    finishReason: reasons.size > 0 ? [...reasons].join(", ") : undefined,
    model: textIn(fields["model"]),
  });
}
