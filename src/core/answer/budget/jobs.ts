import { decodeText } from "../../base/wire/text.ts";
import { readFields, readText, tryParsePlainJson } from "../../base/lenient.ts";
import { ONE_CALL, computeDifference, type Spending } from "../../call/spending.ts";
import type { Exchange } from "../../match/read-request.ts";
import { readJobState } from "../source/polls.ts";
import type { ReceivedReply } from "./charge.ts";
import type { MaxCost } from "./most.ts";

/** The spending of a call, and how much it adds to the spending of its run. */
interface CountedCall {
  readonly own: Spending;
  readonly added: Spending;
}

/** The amounts that were counted for jobs that go on, by id. */
const openJobs = new WeakMap<object, Map<string, Spending>>();

/**
 * Counts a job once: a background response reports its tokens only to the poll that finds it completed. Until then, it counts as
 * much as it may use, if there is a limit. A reply that is read again costs nothing.
 */
export function countJob(
  { call, protocol }: Pick<Exchange, "call" | "protocol">,
  answered: ReceivedReply,
  own: Spending,
  most: MaxCost | undefined,
): CountedCall {
  const { spent } = call.run;
  const jobs = openJobs.get(spent) ?? new Map<string, Spending>();
  openJobs.set(spent, jobs);
  const isReported = own.estimatedCalls === 0 && own.inputTokens + own.outputTokens + own.costUsd > 0;
  if (call.method === "GET" && isReported && protocol.session === undefined) {
    const id = call.path.split(/[/?]/).find((segment) => jobs.has(segment));
    const before = id === undefined ? undefined : jobs.get(id);
    if (id === undefined || before === undefined) return { own: ONE_CALL, added: ONE_CALL };
    jobs.delete(id);
    return { own, added: computeDifference(own, before) };
  }
  const id = call.method === "POST" && !isReported ? readJobId(answered) : undefined;
  if (id === undefined) return { own, added: own };
  const reserved = most === undefined ? own : raise(own, most);
  jobs.set(id, reserved);
  return { own, added: reserved };
}

/** Returns the id of a job that goes on. xAI's deferred chats have only an id. */
function readJobId(answered: ReceivedReply): string | undefined {
  const {
    id,
    name,
    request_id: deferred,
    ...others
  } = readFields(tryParsePlainJson(decodeText(answered.body)));
  if (readJobState(answered)?.isOpen === true) return readText(id) ?? readText(name)?.split("/").at(-1);
  return Object.keys(others).length === 0 && id === undefined ? readText(deferred) : undefined;
}

function raise(own: Spending, { tokens, costUsd = 0 }: MaxCost): Spending {
  const outputTokens = Number.isFinite(tokens)
    ? Math.max(own.outputTokens, tokens - own.inputTokens)
    : own.outputTokens;
  return {
    ...own,
    outputTokens,
    costUsd: Number.isFinite(costUsd) ? Math.max(own.costUsd, costUsd) : own.costUsd,
  };
}
