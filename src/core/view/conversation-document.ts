import { localize } from "../base/localize.ts";
import type { TestRef } from "../call/call.ts";
import { listUtterances } from "./conversation/utterances.ts";
import { countSharedMessages, readTurnFacts, type TurnFacts } from "./conversation/turn-facts.ts";
import { buildChains, type Chain, type ConversationTurn } from "./conversation/turns.ts";
import type { RecordingView } from "./describe.ts";
import { localizeCount } from "../base/plural.ts";
import type { ConversationMessage } from "../protocol/base/protocol.ts";
import { listToolCalls, writeMessage, type ToolCalls } from "./message-text.ts";
import { createTestSpans } from "./rendered-document.ts";
import { describeUsage, writeReply, writeSettings } from "./recording-document.ts";
import {
  createDocumentWriter,
  type DocumentWriter,
  type RenderedDocument,
  type WriterOptions,
} from "./rendered-document.ts";
import { formatCost, type RecordedCost } from "../call/spending.ts";

export interface AskedRecording {
  readonly entry: string;
  /** The recording, or the reason why it cannot be read. */
  readonly read: RecordingView | { readonly failure: string };
}

export interface ConversationDocumentOptions extends WriterOptions {
  /** Number of the test's recordings that were not passed. */
  readonly more?: number;
  /** Number of its calls that are known to be missing. */
  readonly missing?: number;
}

/**
 * Renders a test's calls as conversations. Each turn appears once, with its new messages and its response. `asked` is
 * in the order in which the test makes the calls. The title of each response links to its recording.
 */
export function renderConversation(
  test: TestRef,
  recordings: readonly AskedRecording[],
  options: ConversationDocumentOptions = {},
): RenderedDocument {
  const writer = createDocumentWriter(options);
  const calls = recordings.map((one): Call => {
    const view = viewOf(one);
    return { ...one, facts: view && readTurnFacts(view) };
  });
  const chains = buildChains(calls, ({ facts }) => facts);
  writer.line(...createTestSpans(withLine(test, recordings)));
  writer.line(factsLine(recordings, chains.length));
  if (options.missing !== undefined && options.missing > 0)
    writer.line(
      localizeCount(
        options.missing,
        "{0} more call is missing: it is not recorded, so it is not shown here",
        "{0} more calls are missing: they are not recorded, so they are not shown here",
      ),
    );
  writer.line();
  for (const [at, chain] of chains.entries()) {
    if (chains.length > 1) writer.section(localize("conversation {0} of {1}", at + 1, chains.length));
    writeChain(writer, chain, { before: undefined, tools: toolsIn(recordings) });
  }
  if (options.more !== undefined && options.more > 0)
    writer.line(
      localizeCount(
        options.more,
        "… {0} more call: see it in the view Calls, or with tapedeck list",
        "… {0} more calls: see them in the view Calls, or with tapedeck list",
      ),
    );
  return writer.finish();
}

/** A recording with the facts that identify its turn. */
interface Call extends AskedRecording {
  readonly facts: TurnFacts | undefined;
}

interface TurnContext {
  /** The previous turn of the conversation. */
  readonly before: ConversationTurn<Call> | undefined;
  readonly tools: ToolCalls;
}

function viewOf({ read }: AskedRecording): RecordingView | undefined {
  return "failure" in read ? undefined : read;
}

/** Returns the test with its line if one of its recordings contains the line. */
function withLine(test: TestRef, recordings: readonly AskedRecording[]): TestRef {
  if (test.line !== undefined) return test;
  const makers = recordings.flatMap((one) => viewOf(one)?.recording.test ?? []);
  const name = JSON.stringify(test.name);
  return makers.find((one) => one.file === test.file && JSON.stringify(one.name) === name) ?? test;
}

function toolsIn(recordings: readonly AskedRecording[]): ToolCalls {
  const views = recordings.flatMap((one) => viewOf(one) ?? []);
  return listToolCalls(
    views.flatMap(({ conversation, projection }) => [...conversation.messages, ...projection.messages]),
  );
}

/** "3 calls, 2 conversations · gpt-4o-mini · 320 in, 41 out · about $0.0004". */
function factsLine(recordings: readonly AskedRecording[], conversations: number): string {
  const views = recordings.flatMap((one) => viewOf(one) ?? []);
  const models = new Set(
    views.map(({ recording, facts }) => recording.model ?? facts.model ?? recording.operation),
  );
  const sum = (name: "inputTokens" | "outputTokens"): number | undefined => {
    const counts = views.flatMap(({ projection }) => projection.usage?.[name] ?? []);
    return counts.length === 0 ? undefined : counts.reduce((all, count) => all + count, 0);
  };
  const costs = views.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  return [
    [
      localizeCount(recordings.length, "{0} call", "{0} calls"),
      ...(conversations > 1 ? [localizeCount(conversations, "{0} conversation", "{0} conversations")] : []),
    ].join(localize(", ")),
    ...models,
    ...describeUsage({ inputTokens: sum("inputTokens"), outputTokens: sum("outputTokens") }),
    ...(costs.length === 0 ? [] : [formatCost(costs.reduce(addCosts))]),
  ].join(" · ");
}

function addCosts(a: RecordedCost, b: RecordedCost): RecordedCost {
  return a === "unknown" || b === "unknown" ? "unknown" : a + b;
}

function writeChain(writer: DocumentWriter, { turns, branches }: Chain<Call>, around: TurnContext): void {
  let { before } = around;
  for (const turn of turns) {
    writeTurn(writer, turn, { ...around, before });
    before = turn;
  }
  for (const [at, branch] of branches.entries()) {
    writer.section(
      localize("branch {0} of {1} after turn {2}", at + 1, branches.length, before?.number ?? 0),
    );
    writeChain(writer, branch, { ...around, before });
  }
}

function writeTurn(
  writer: DocumentWriter,
  { call, number }: ConversationTurn<Call>,
  { before, tools }: TurnContext,
): void {
  const target = { kind: "recording", entry: call.entry } as const;
  const { read } = call;
  if ("failure" in read) {
    writer.section(localize("{0} cannot be read", number), { target });
    return writer.block(read.failure);
  }
  const previous = before && viewOf(before.call);
  for (const message of addedBy(read, previous, before?.call.facts))
    writeMessage(writer, message, { calls: tools });
  writeReply(writer, read, tools, { title: (role) => `${number} ${localize(role)}`, target });
  if (previous === undefined || settingsText(previous) !== settingsText(read))
    writeSettings(writer, read.conversation, { folded: true });
}

/** Returns the messages that a turn adds to the previous turn. */
function addedBy(
  { conversation: { messages } }: RecordingView,
  previous: RecordingView | undefined,
  facts: TurnFacts | undefined,
): readonly ConversationMessage[] {
  if (previous === undefined || facts === undefined) return messages;
  const shared = countSharedMessages(messages, facts.ends);
  if (shared > 0) return messages.slice(shared);
  // The provider stores the earlier messages, but clients send the system prompt again with each turn.
  const earlier = new Set(previous.conversation.messages.map(messageText));
  return messages.filter((message) => message.role !== "system" || !earlier.has(messageText(message)));
}

const messageText = (message: ConversationMessage): string => JSON.stringify(listUtterances([message]));

/** Returns the settings as text, without the id of the previous turn. */
function settingsText({ conversation }: RecordingView): string {
  return JSON.stringify(conversation.settings.filter(([name]) => name !== "previous_response_id"));
}
