import { padColumns } from "../base/columns.ts";
import { localize, joinList } from "../base/localize.ts";
import { localizeCount } from "../base/plural.ts";
import { readReplyId } from "../match/origins/values.ts";
import type { TestRef } from "../call/call.ts";
import type { Conversation, ReportedUsage } from "../protocol/base/protocol.ts";
import { formatAge, parseInstant } from "../base/age.ts";
import { listToolCalls, writeMessage, type ToolCalls } from "./message-text.ts";
import { shortenChainName, takeText, type TakeOf, shortenKey } from "../cassette/address.ts";
import type { RecordingView } from "./describe.ts";
import {
  createDocumentWriter,
  type DocumentWriter,
  type LinkTarget,
  type RenderedDocument,
  type WriterOptions,
  createTestSpans,
} from "./rendered-document.ts";
import { describeAudio } from "../protocol/table/sessions.ts";
import { formatCost } from "../call/spending.ts";

export interface RecordingDocumentOptions extends WriterOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the recording is not accepted yet. */
  readonly candidate?: boolean;
  /** Whether the recording came from the team cache. */
  readonly isTeams?: boolean;
  /** Tests that are known to use it; if empty, the test that recorded it is shown. */
  readonly usedBy?: readonly TestRef[];
  /** The path of the recording's file, for example ".tapedeck/calls/openai/3f/3f9a….json". */
  readonly path?: string;
  readonly take?: TakeOf;
}

/** Renders a recording as a conversation: its origin, the request, the response, and the settings. */
export function renderRecording(view: RecordingView, options: RecordingDocumentOptions): RenderedDocument {
  const writer = createDocumentWriter(options);
  writeHeader(writer, view, options);
  writer.line();
  const { projection, conversation } = view;
  const calls = listToolCalls([...conversation.messages, ...projection.messages]);
  const session = projection.messages.some(({ place }) => place !== undefined);
  if (session) writeSession(writer, view, calls);
  else {
    writeRequest(writer, conversation, calls);
    writeReply(writer, view, calls);
  }
  writeSettings(writer, conversation);
  return writer.finish();
}

const FACTS_COLUMN = 52;
const LABEL_COLUMNS = 9;

const headerLabel = (text: string): string => padColumns(text, LABEL_COLUMNS);

function writeHeader(writer: DocumentWriter, view: RecordingView, options: RecordingDocumentOptions): void {
  const { recording } = view;
  const what = [recording.provider, recording.operation, recording.model].filter(
    (part) => part !== undefined,
  );
  const at = parseInstant(recording.recordedAt);
  const facts = [
    ...(options.candidate === true ? [localize("new")] : []),
    ...(options.isTeams === true ? [localize("from the team")] : []),
    localize("recorded {0}", at === undefined ? recording.recordedAt : formatAge(at, options.now)),
    ...(options.take === undefined ? [] : [takeText(options.take)]),
  ];
  writer.line(`${padColumns(what.join(" · "), FACTS_COLUMN)} ${facts.join(" · ")}`);
  const used = options.usedBy ?? [];
  for (const [index, test] of used.entries()) {
    writer.line(index === 0 ? headerLabel(localize("used by")) : headerLabel(""), ...createTestSpans(test));
  }
  if (used.length === 0 && recording.test !== undefined)
    writer.line(headerLabel(localize("made by")), ...createTestSpans(recording.test));
  for (const value of recording.request.values ?? []) {
    const id = readReplyId(value);
    if (id !== undefined)
      writer.line(
        headerLabel(localize("follows")),
        localize("{0} ({1})", shortenChainName(id.last), value.text),
      );
  }
  const key = localize("key {0}", shortenKey(recording.key));
  if (options.path === undefined) writer.line(key);
  else
    writer.line(
      headerLabel(localize("file")),
      { text: options.path, target: { kind: "file", path: options.path } },
      `  ${key}`,
    );
}

export function writeRequest(writer: DocumentWriter, conversation: Conversation, calls: ToolCalls): void {
  for (const message of conversation.messages) writeMessage(writer, message, { calls });
}

/** `title` returns the section title for a role; `target` is the link target of the titles. */
export function writeReply(
  writer: DocumentWriter,
  view: RecordingView,
  calls: ToolCalls,
  options: { readonly title?: (role: string) => string; readonly target?: LinkTarget } = {},
): void {
  const { projection, recording } = view;
  const messages = projection.messages.length > 0 ? projection.messages : [{ role: "reply", parts: [] }];
  const facts = replyFacts(view, recording.reply.status);
  const answers = messages.filter(({ role }) => role !== "error");
  const areChoices = answers.length > 1 && answers.every(({ role }) => role === "assistant");
  for (const [index, message] of messages.entries()) {
    const isChoice = areChoices && message.role !== "error";
    const title = options.title?.(message.role) ?? localize(message.role);
    writeMessage(writer, message, {
      calls,
      title: isChoice
        ? localize("{0}, choice {1} of {2}", title, answers.indexOf(message) + 1, answers.length)
        : title,
      target: options.target,
      facts: index === 0 ? facts : undefined,
    });
  }
}

/** Writes the messages of a session in their order: each of the server after those of the client that preceded it. */
function writeSession(writer: DocumentWriter, view: RecordingView, calls: ToolCalls): void {
  const { conversation, projection, recording } = view;
  const replies = projection.messages.map((message) => ({ message, at: message.place?.at ?? 0 }));
  const facts = replyFacts(view, recording.reply.status);
  let written = 0;
  const writeReplies = (before: number): void => {
    for (; (replies[written]?.at ?? before) < before; written += 1) {
      const reply = replies[written];
      if (reply !== undefined)
        writeMessage(writer, reply.message, { calls, ...(written === 0 && { facts }) });
    }
  };
  for (const message of conversation.messages) {
    const { at, pieces = 1 } = message.place ?? { at: 0 };
    // Audio that is sent during replies is shown in parts between them.
    for (let from = at; from < at + pieces;) {
      writeReplies(from);
      const until = Math.min((replies[written]?.at ?? Infinity) + 1, at + pieces);
      writeMessage(
        writer,
        describeAudio({
          ...message,
          place: { at: from, ...(message.place?.pieces && { pieces: until - from }) },
        }),
        { calls },
      );
      from = until;
    }
  }
  writeReplies(Infinity);
}

/** "stream, 14 events · stop · 21 in, 2 out · about $0.0004". */
function replyFacts({ projection, cost }: RecordingView, status: number): string {
  const { events, finishReason, usage } = projection;
  return [
    ...(status === 200 ? [] : [localize("status {0}", status)]),
    ...(events === undefined ? [] : [localizeCount(events, "stream, {0} event", "stream, {0} events")]),
    ...(finishReason === undefined ? [] : [finishReason]),
    ...(usage === undefined ? [] : describeUsage(usage)),
    ...(cost === undefined ? [] : [formatCost(cost)]),
  ].join(" · ");
}

export function describeUsage(usage: ReportedUsage): readonly string[] {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = usage;
  const cached =
    cachedInputTokens !== undefined && cachedInputTokens > 0
      ? localize(" ({0} cached)", cachedInputTokens)
      : "";
  const reasoning =
    reasoningTokens !== undefined && reasoningTokens > 0 ? localize(" ({0} thinking)", reasoningTokens) : "";
  const counts = [
    ...(inputTokens === undefined ? [] : [localize("{0} in{1}", inputTokens, cached)]),
    ...(outputTokens === undefined ? [] : [localize("{0} out{1}", outputTokens, reasoning)]),
  ];
  return counts.length === 0 ? [] : [joinList(counts)];
}

const SETTINGS_WIDTH = 100;

/** Writes settings with as many on a line as fit. */
export function writeSettings(
  writer: DocumentWriter,
  conversation: Conversation,
  options: { readonly folded?: boolean } = {},
): void {
  if (conversation.settings.length === 0) return;
  writer.section(localize("parameters"), options);
  const lines: string[] = [];
  for (const [name, value] of conversation.settings) {
    const setting = `${name} ${value}`;
    const last = lines.at(-1);
    const joined = last === undefined ? setting : `${last} · ${setting}`;
    if (last === undefined || joined.length > SETTINGS_WIDTH) lines.push(setting);
    else lines[lines.length - 1] = joined;
  }
  for (const line of lines) writer.line(line);
}
