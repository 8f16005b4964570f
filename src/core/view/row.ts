import { joinList, localize } from "../base/localize.ts";
import type { TestRef } from "../call/call.ts";
import type { Conversation, ReportedUsage, RequestFacts } from "../protocol/base/protocol.ts";
import { cutText } from "../base/visible.ts";
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

const STATE_WORDS: Readonly<Record<RowState, () => string>> = {
  recorded: () => localize("recorded"),
  new: () => localize("new, not yet accepted"),
  missing: () => localize("missing, not recorded"),
  "made-up": () => localize("answered by a mock, not recorded"),
  stale: () => localize("stale, no longer used by its test"),
  broken: () => localize("broken, cannot be read"),
};

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
  const known = listRowFacts(subject, facts, options.now);
  const state = STATE_WORDS[subject.state]();
  return {
    label: subject.label,
    description: known.join(SEPARATOR),
    state,
    spoken: joinList([subject.label, ...known, state]),
  };
}

const SEPARATOR = " · ";

/** Returns the description of a row without its other texts. */
export const describeRow = (subject: DescribedRow, facts: readonly RowFact[], now: number): string =>
  listRowFacts(subject, facts, now).join(SEPARATOR);

type DescribedRow = Omit<RowSubject, "label" | "state">;

function listRowFacts(subject: DescribedRow, facts: readonly RowFact[], now: number): readonly string[] {
  return facts.flatMap((fact) => FACT_TEXTS[fact](subject, now) ?? []);
}

const FACT_TEXTS: Record<RowFact, (subject: DescribedRow, now: number) => string | undefined> = {
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
export const labelCall = ({ facts, conversation }: RequestView): string =>
  labelRequest(facts, () => conversation);

/** Returns the same as `labelCall`, and reads the conversation only if the facts have no text. */
export function labelRequest(facts: RequestFacts, readConversation: () => Conversation): string {
  const text = facts.text === undefined ? lastUserText(readConversation()) : firstLine(facts.text);
  return text === undefined ? shorten(facts.label) : `"${shorten(text)}"`;
}

function lastUserText({ messages }: Conversation): string | undefined {
  const texts = messages
    .filter((message) => message.role === "user")
    .flatMap((message) => message.parts)
    .flatMap((part) => (part.type === "text" ? [firstLine(part.text)] : []));
  return texts.findLast((text) => text !== "");
}

function firstLine(text: string): string {
  const trimmed = text.trim();
  const end = trimmed.indexOf("\n");
  return end < 0 ? trimmed : trimmed.slice(0, end).trimEnd();
}

/** Shortens a label, and keeps both quotes around the text of a call. */
export function shortenLabel(label: string, limit?: number): string {
  const [, text] = /^"(.*)"$/su.exec(label) ?? [];
  return text === undefined ? shorten(label, limit) : `"${shorten(text, limit)}"`;
}

/** Returns a text on one line, cut between code points so that no emoji is split. */
export function shorten(text: string, limit = LABEL_CHARACTERS): string {
  // The text can have megabytes, so only its beginning is processed.
  return cutText(makeVisible(text.slice(0, 20 * limit)).replace(/\s{2,}|[^\S ]/g, " "), limit);
}
