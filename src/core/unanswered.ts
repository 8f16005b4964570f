import type { CallEvent } from "./call.ts";
import { CLIENT_LEFT } from "./errors.ts";
import { visibleLine } from "./view/visible.ts";

/** What mends a call that failed: the key, the address, the limits of a run, or making it again. */
export type Repair = "key" | "address" | "limits" | "again";

/** A call that got no answer to be kept, in three lines: what, why, and what to do. */
export interface Unanswered {
  /** Why, in two or three words. */
  readonly brief: string;
  readonly what: string;
  readonly why: string;
  readonly mend: string;
  readonly repair: Repair;
}

/** Undefined for a call that was answered, or is missing, which is told in words of its own. */
export function describeUnanswered(event: CallEvent): Unanswered | undefined {
  const { provider, operation, model, label, outcome, reason, hint } = event;
  const status = event.upstreamStatus ?? event.failedWith;
  const isFailed = outcome === "refused" || (outcome === "forwarded" && (status ?? 0) >= 400);
  if (!isFailed) return undefined;
  const [repair, advice] = ADVICE.find(([statuses]) => statuses.test(String(status)))?.[1] ?? AGAIN;
  return {
    brief: briefly(event),
    what: visibleLine(`This ${model ?? `${provider} ${operation}`} call failed ("${label}").`),
    why: visibleLine(reason ?? `${provider} answered with status ${status}.`),
    mend: visibleLine(hint ?? (repair === "key" ? OTHER_KEY : advice)),
    repair,
  };
}

function briefly({ upstreamStatus, failedWith }: CallEvent): string {
  if (upstreamStatus !== undefined) return `status ${upstreamStatus}`;
  if (failedWith === CLIENT_LEFT) return "given up";
  return failedWith === 502 ? "not reached" : "refused";
}

const AGAIN: readonly [Repair, string] = ["again", "Record the test again."];

const OTHER_KEY = 'Give the right key with "Set Provider Key…", then record the test again.';

/** What to do about a status. What a provider said stands in the test's own output. */
const ADVICE: readonly (readonly [RegExp, readonly [Repair, string]])[] = [
  [/^401$/u, ["key", "Set your own key where the tests run, and record again."]],
  [/^402$/u, ["limits", "The provider wants to be paid, or the run has spent what it may."]],
  [/^403$/u, ["key", "Your key has no right to this; use another one, and record again."]],
  [/^404$/u, ["address", "Check the model's name and the address."]],
  [/^429$/u, ["again", "That is the provider's limit for your key; wait a little, and record again."]],
  [/^502$/u, ["address", "That is the provider's fault, or the address is wrong; record again later."]],
  [/^5\d\d$/u, ["again", "That is the provider's fault; record again later."]],
];

/** What to do about an upstream's refusal that says nothing of that itself; "" where nothing can be said. */
export function adviceOn(status: number | undefined): string {
  return ADVICE.find(([statuses]) => statuses.test(String(status)))?.[1][1] ?? "";
}
