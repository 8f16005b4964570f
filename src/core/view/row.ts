import { joinList, localize } from "../base/localize.ts";
import type { TestRef } from "../call/call.ts";
import type { ReportedUsage } from "../protocol/base/protocol.ts";
import { localizeCount } from "../base/plural.ts";
import { formatShortAge } from "../base/age.ts";
import type { RequestView } from "./describe.ts";
import { takeText, type TakeOf } from "../cassette/address.ts";
import { makeVisible } from "../base/visible.ts";

export type RowState = "recorded" | "new" | "missing" | "made-up" | "stale" | "broken";

/** A call or recording that is shown as a row of a list or tree. */
export interface RowSubject {
  /** The label that `labelCall` returns. */
  readonly label: string;
  readonly state: RowState;
  /** The model, or the operation if there is no model. */
  readonly model?: string;
  readonly test?: TestRef | undefined;
  readonly usage?: ReportedUsage | undefined;
  /** The HTTP status of the reply. */
  readonly status?: number | undefined;
  /** Time of the recording or the call, in milliseconds since the epoch. */
  readonly at?: number | undefined;
  readonly take?: TakeOf;
}

export type RowFact = "model" | "status" | "test" | "tokens" | "take" | "age";

export interface RowText {
  readonly label: string;
  /** Facts separated by " · "; can be empty. */
  readonly description: string;
  /** The state in words, for users who cannot see icons. */
  readonly state: string;
  /** The whole row as one sentence, for screen readers. */
  readonly spoken: string;
}

const stateWords = (): Record<RowState, string> => ({
  recorded: localize("recorded"),
  new: localize("new, not yet accepted"),
  missing: localize("missing, not recorded"),
  "made-up": localize("answered by a mock, not recorded"),
  stale: localize("stale, no longer used by its test"),
  broken: localize("broken, cannot be read"),
});

const RECORDED_FACTS: readonly RowFact[] = ["model", "status", "tokens", "take", "age"];
const MISSING_FACTS: readonly RowFact[] = ["model", "test", "age"];

/** Returns the texts of a row. Its description contains `facts` in this order; unknown facts are omitted. */
export function formatRow(
  subject: RowSubject,
  options: { readonly now: number; readonly facts?: readonly RowFact[] },
): RowText {
  const facts =
    options.facts ??
    (subject.state === "missing" || subject.state === "made-up" ? MISSING_FACTS : RECORDED_FACTS);
  const known = facts
    .map((fact) => FACT_TEXTS[fact](subject, options.now))
    .filter((text) => text !== undefined);
  const state = stateWords()[subject.state];
  return {
    label: subject.label,
    description: known.join(" · "),
    state,
    spoken: joinList([subject.label, ...known, state]),
  };
}

const FACT_TEXTS: Record<RowFact, (subject: RowSubject, now: number) => string | undefined> = {
  model: ({ model }) => model,
  status: ({ status }) => formatStatus(status),
  test: ({ test }) => test?.name.at(-1) ?? test?.file,
  tokens: ({ usage }) => tokensText(usage),
  take: ({ take }) => (take === undefined || take.of < 2 ? undefined : takeText(take)),
  age: ({ at }, now) => (at === undefined ? undefined : formatShortAge(at, now)),
};

/** Returns "status 429", or undefined for a successful status. */
export function formatStatus(status: number | undefined): string | undefined {
  return status === undefined || (status >= 200 && status < 300) ? undefined : localize("status {0}", status);
}

function tokensText(usage: ReportedUsage | undefined): string | undefined {
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return undefined;
  const count = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  return localizeCount(count, "1 token", "{0} tokens");
}

const LABEL_CHARACTERS = 60;

/** Returns a request on one line: the last user text in quotes, or a description such as "3 texts to embed". */
export function labelCall(view: RequestView): string {
  const text = view.facts.text === undefined ? lastUserText(view) : firstLine(view.facts.text);
  return text === undefined ? shorten(view.facts.label) : `"${shorten(text)}"`;
}

function lastUserText({ conversation }: RequestView): string | undefined {
  const texts = conversation.messages
    .filter((message) => message.role === "user")
    .flatMap((message) => message.parts)
    .flatMap((part) => (part.type === "text" ? [firstLine(part.text)] : []));
  return texts.findLast((text) => text !== "");
}

const firstLine = (text: string): string => text.trim().split(/\r?\n/, 1)[0]?.trimEnd() ?? "";

/** Shortens a label, and keeps both quotes around the text of a call. */
export function shortenLabel(label: string, limit?: number): string {
  const [, text] = /^"(.*)"$/su.exec(label) ?? [];
  return text === undefined ? shorten(label, limit) : `"${shorten(text, limit)}"`;
}

/** Returns a text on one line, cut between code points so that no emoji is split. */
export function shorten(text: string, limit = LABEL_CHARACTERS): string {
  // The text can have megabytes, so only its beginning is processed.
  const line = makeVisible(text.slice(0, 20 * limit)).replace(/\s+/g, " ");
  if (line.length <= limit) return line;
  const characters = Array.from(line);
  return characters.length <= limit
    ? line
    : `${characters
        .slice(0, limit - 1)
        .join("")
        .trimEnd()}…`;
}
