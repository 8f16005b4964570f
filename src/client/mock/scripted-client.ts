import { chatError } from "../errors.ts";
import { frozenCopy } from "../json/plain.ts";
import { functionClient, type MockClient, type MockOptions } from "./mock-client.ts";
import type { MockReply } from "./mock-reply.ts";

export interface ScriptedClient extends MockClient {
  /** How many answers are left. */
  readonly left: number;
}

/**
 * Answers the calls one after the other. A call beyond the last answer fails with "not-recorded", which says which call
 * it was; an answer that is an error is used up like any other.
 */
export function scriptedClient(replies: readonly MockReply[], options: MockOptions = {}): ScriptedClient {
  const script = replies.map((reply) => (reply instanceof Error ? reply : frozenCopy(reply)));
  let used = 0;
  const client = functionClient((_, call) => {
    const reply = script[used];
    if (reply === undefined)
      throw chatError("not-recorded", `The script has no answer for call ${call}: it has ${script.length}.`, {
        where: `call ${call}`,
        hint: "Add an answer to the script, or make fewer calls.",
      });
    used += 1;
    return reply;
  }, options);
  return Object.defineProperties(client, {
    left: { get: () => script.length - used, enumerable: true },
  }) as ScriptedClient;
}
