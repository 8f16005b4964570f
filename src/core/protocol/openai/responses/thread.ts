import type { Reply, Thread } from "../../protocol.ts";
import { fieldsOf, jsonIn, textIn, type Fields } from "../../reading/lenient.ts";
import { readReply } from "../../reading/reply.ts";

/** A later response names an earlier one, or the conversation that both belong to. `after`: what this one names. */
export function threadOf(after: string | undefined, reply: Reply): Thread {
  const response = responseOf(reply);
  const conversation = textIn(fieldsOf(response["conversation"])["id"]) ?? textIn(response["conversation"]);
  const ids = [textIn(response["id"]), conversation, after?.startsWith("conv") === true ? after : undefined];
  return { after, ids: [...new Set(ids.filter((id) => id !== undefined))] };
}

/** The first event that has a response says its id. */
function responseOf(reply: Reply): Fields {
  const read = readReply(reply);
  if (read.kind === "json") return fieldsOf(read.value);
  if (read.kind === "text") return {};
  for (const { data } of read.events) {
    const response = fieldsOf(fieldsOf(jsonIn(data))["response"]);
    if (textIn(response["id"]) !== undefined) return response;
  }
  return {};
}
