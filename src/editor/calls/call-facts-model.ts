import { type Position, isTapedeckError } from "../../core/base/errors.ts";
import type { TestRef } from "../../core/call/call.ts";
import type {
  ConversationMessage,
  ConversationPart,
  ReportedUsage,
} from "../../core/protocol/base/protocol.ts";
import type { TurnFacts } from "../../core/view/conversation/turn-facts.ts";
import { formatStatus } from "../../core/view/row.ts";
import type { RecordingView, RequestView } from "../../core/view/describe.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";

/** The facts of a recording for rows, groups, and searches. Everything else is read again when it is opened. */
export type CallFacts = ReadFacts | BrokenFacts;

export interface ReadFacts {
  readonly kind: "read";
  readonly operation: string;
  readonly model?: string;
  /** As `labelCall` gives it. */
  readonly label: string;
  /** Facts to find its turn in a conversation. */
  readonly turn: TurnFacts;
  /** The test that first made the call. */
  readonly test?: TestRef;
  /** Milliseconds since the epoch; 0 if the file has no time. */
  readonly recordedAt: number;
  readonly usage?: ReportedUsage;
  /** The status of the reply if it is not a success. */
  readonly status?: number;
  readonly text: SearchText;
}

/** A file that cannot be used, and the reason. */
export interface BrokenFacts {
  readonly kind: "broken";
  readonly reason: string;
  readonly position?: Position;
}

/** Lower-case text to search in. `whole` is false if the rest has to be read again. */
interface SearchText {
  readonly kept: string;
  readonly whole: boolean;
}

export function readFactsFromFailure(error: unknown): BrokenFacts {
  const { position, reason = describeThrown(error) } = isTapedeckError(error) ? error : {};
  return { kind: "broken", reason, ...pickDefined({ position }) };
}

/** Everything that a person may search for in a recording, in lower case. */
export function collectSearchableText(reading: RecordingView): string {
  const { recording, projection } = reading;
  return [
    ...listRequestTexts(reading),
    ...projection.messages.flatMap(messageText),
    ...listTestTexts(recording.test),
    recording.provider,
    recording.operation,
    readModel(reading) ?? "",
    projection.model ?? "",
    formatStatus(recording.reply.status) ?? "",
  ]
    .join("\n")
    .toLowerCase();
}

/** The texts of a request: its label, messages, and settings. */
export function listRequestTexts({ facts, conversation }: RequestView): readonly string[] {
  const { messages, settings } = conversation;
  return [facts.label, ...messages.flatMap(messageText), ...settings.map((pair) => pair.join(" "))];
}

export function listTestTexts(test: TestRef | undefined): readonly string[] {
  return test === undefined ? [] : [test.file, test.name.join(" › ")];
}

export function readModel({ recording, facts, projection }: RecordingView): string | undefined {
  return recording.model ?? facts.model ?? projection.model;
}

const messageText = (message: ConversationMessage): readonly string[] => message.parts.map(partText);

function partText(part: ConversationPart): string {
  if (part.type === "tool-call") return `${part.name} ${part.arguments}`;
  if (part.type === "media") return part.description;
  return part.type === "other" ? `${part.description} ${part.text}` : part.text;
}
