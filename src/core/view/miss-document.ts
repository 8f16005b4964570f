import type { Miss, TestRef } from "../call/call.ts";
import { ageInWords, instantOf } from "../base/age.ts";
import { toolCallsOf, type ToolCalls } from "./message-text.ts";
import { writeReply, writeRequest, writeSettings } from "./recording-document.ts";
import type { RecordingView, RequestView } from "./describe.ts";
import {
  createDocumentWriter,
  type DocumentWriter,
  type RenderedDocument,
  type Span,
  type WriterOptions,
  testSpans,
} from "./rendered-document.ts";
import { editorReader, missLines } from "./miss.ts";
import { shortKey } from "../cassette/address.ts";

export interface MissDocumentOptions extends Pick<WriterOptions, "cutAt"> {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The test that asked, where it is known. */
  readonly test?: TestRef | undefined;
  /** How often it was asked. */
  readonly count?: number;
  /** The entry of the recording that answers it since. */
  readonly answeredBy?: string;
  /** What it was given, where that was made up. */
  readonly madeUp?: { readonly by: string; readonly view: RecordingView };
  /** What mocks would answer, or why one would not. */
  readonly mocks?: readonly MockedReply[];
}

/** What a mock would answer: `name` is how it is called, `by` what in it answers, where it has several. */
export interface MockedReply {
  readonly name: string;
  readonly mocked: { readonly by: string; readonly view: RecordingView } | { readonly problem: string };
}

/** A missing call: what is missing and for whom, what the nearest recording has otherwise, and what was asked. */
export function renderMiss(miss: Miss, view: RequestView, options: MissDocumentOptions): RenderedDocument {
  const writer = createDocumentWriter(options);
  writer.line(...titleSpans(miss, options));
  if (options.test?.at) writer.line(...callSiteSpans(options.test.at));
  const { answeredBy, madeUp } = options;
  if (answeredBy === undefined && madeUp !== undefined)
    writer.line(`It was answered by ${madeUp.by}; no recording has that.`);
  else if (answeredBy === undefined) writeDifferences(writer, miss, options);
  else writer.line("It has a recording by now: ", recordingLink("open the recording", answeredBy));
  writer.line();
  writeRequest(writer, view.conversation, toolCallsOf(view.conversation.messages));
  writeMocks(writer, options);
  writeSettings(writer, view.conversation);
  writer.section("call", { folded: true });
  writer.line(`${miss.provider} · ${miss.operation} · key ${shortKey(miss.key)}`);
  return writer.finish();
}

/** The made-up reply, and what other mocks would say. */
function writeMocks(writer: DocumentWriter, { madeUp, mocks = [] }: MissDocumentOptions): void {
  if (madeUp !== undefined)
    writeReply(writer, madeUp.view, NO_CALLS, { title: () => `made up by ${madeUp.by}` });
  for (const { name, mocked } of mocks) {
    if ("problem" in mocked) {
      writer.section(`${name} would not answer`);
      writer.block(mocked.problem);
    } else
      writeReply(writer, mocked.view, NO_CALLS, {
        title: () => `${name} would answer${mocked.by === "" ? "" : `: ${mocked.by}`}`,
      });
  }
}

const NO_CALLS: ToolCalls = new Map();

function titleSpans(
  miss: Miss,
  { test, count = 1, answeredBy, madeUp }: MissDocumentOptions,
): readonly Span[] {
  const times = count > 1 ? ` (${count} times)` : "";
  const state = answeredBy !== undefined ? "Recorded" : madeUp === undefined ? "Missing" : "Made up";
  const what = `${state}: ${miss.model ?? miss.operation}`;
  if (test === undefined) return [`${what}, asked outside any known test${times}`];
  return [`${what}, asked by `, ...testSpans(test, " "), times];
}

/** Where the call was made, when that is not in the test itself. */
function callSiteSpans({ file, line }: NonNullable<TestRef["at"]>): readonly Span[] {
  return ["Called in ", { text: `${file}:${line}`, target: { kind: "test", file, line } }];
}

const recordingLink = (text: string, entry: string): Span => ({ text, target: { kind: "recording", entry } });

function writeDifferences(writer: DocumentWriter, miss: Miss, { now, test }: MissDocumentOptions): void {
  const { nearest } = miss;
  const [, differs, repair] = missLines(miss, editorReader(test));
  if (nearest === undefined) {
    writer.line(differs);
  } else {
    const at = instantOf(nearest.recordedAt);
    const age = at === undefined ? nearest.recordedAt : ageInWords(at, now);
    writer.line(
      "What differs from ",
      recordingLink("the nearest recording", nearest.entry),
      ` (recorded ${age}):`,
    );
    for (const { text, marked } of nearest.differences) {
      writer.line(`    ${text}`);
      if (marked !== undefined) writer.line(`        ${marked}`);
    }
    if (nearest.departure) writer.line(`    First at ${nearest.departure.text}.`);
  }
  writer.line(repair);
}
