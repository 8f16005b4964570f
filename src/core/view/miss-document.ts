import { localize } from "../base/localize.ts";
import type { Miss, TestRef } from "../call/call.ts";
import { formatAge, parseInstant } from "../base/age.ts";
import { listToolCalls, type ToolCalls } from "./message-text.ts";
import { writeReply, writeRequest, writeSettings } from "./recording-document.ts";
import type { RecordingView, RequestView } from "./describe.ts";
import {
  createDocumentWriter,
  type DocumentWriter,
  type RenderedDocument,
  type Span,
  type WriterOptions,
  createTestSpans,
} from "./rendered-document.ts";
import { makeVisibleLine } from "../base/visible.ts";
import { createEditorReader, formatMissLines, formatOrigins } from "./miss.ts";
import { shortenKey } from "../cassette/address.ts";

export interface MissDocumentOptions extends Pick<WriterOptions, "cutAt"> {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The test that made the call, if known. */
  readonly test?: TestRef | undefined;
  /** Number of times that the call was made. */
  readonly count?: number;
  /** The entry of the recording that answers the call now. */
  readonly answeredBy?: string;
  /** The mock's response, if a mock answered the call. */
  readonly madeUp?: { readonly by: string; readonly view: RecordingView };
}

/** Renders a missing call: its test, the differences from the nearest recording, and the request. */
export function renderMiss(miss: Miss, view: RequestView, options: MissDocumentOptions): RenderedDocument {
  const writer = createDocumentWriter(options);
  writer.line(...titleSpans(miss, options));
  if (options.test?.at) writer.line(...callSiteSpans(options.test.at));
  const { answeredBy, madeUp } = options;
  if (answeredBy === undefined && madeUp !== undefined)
    writer.line(localize("{0} answered it; the response is not recorded.", madeUp.by));
  else if (answeredBy === undefined) writeDifferences(writer, miss, options);
  else
    writer.line(localize("It is recorded now: "), recordingLink(localize("open the recording"), answeredBy));
  writer.line();
  writeRequest(writer, view.conversation, listToolCalls(view.conversation.messages));
  if (madeUp !== undefined)
    writeReply(writer, madeUp.view, NO_CALLS, { title: () => localize("answered by {0}", madeUp.by) });
  writeSettings(writer, view.conversation);
  writer.section(localize("call"), { folded: true });
  writer.line(`${miss.provider} · ${miss.operation} · ${localize("key {0}", shortenKey(miss.key))}`);
  return writer.finish();
}

const NO_CALLS: ToolCalls = new Map();

function titleSpans(
  miss: Miss,
  { test, count = 1, answeredBy, madeUp }: MissDocumentOptions,
): readonly Span[] {
  const times = count > 1 ? localize(" ({0} times)", count) : "";
  const state =
    answeredBy !== undefined
      ? localize("Recorded")
      : madeUp === undefined
        ? localize("Missing")
        : localize("Mocked");
  const what = localize("{0}: {1}", state, miss.model ?? miss.operation);
  if (test === undefined) return [localize("{0}, made outside any known test{1}", what, times)];
  return [localize("{0}, made by ", what), ...createTestSpans(test, " "), times];
}

/** The location of the call, if it is not in the test itself. */
function callSiteSpans({ file, line }: NonNullable<TestRef["at"]>): readonly Span[] {
  return [localize("Called in "), { text: `${file}:${line}`, target: { kind: "test", file, line } }];
}

const recordingLink = (text: string, entry: string): Span => ({ text, target: { kind: "recording", entry } });

function writeDifferences(writer: DocumentWriter, miss: Miss, { now, test }: MissDocumentOptions): void {
  const { nearest } = miss;
  const reader = createEditorReader(test);
  const [, differs, repair] = formatMissLines(miss, reader);
  if (nearest === undefined) {
    writer.line(differs);
  } else {
    const at = parseInstant(nearest.recordedAt);
    const age = at === undefined ? nearest.recordedAt : formatAge(at, now);
    writer.line(
      localize("Differs from "),
      recordingLink(localize("the nearest recording"), nearest.entry),
      localize(" (recorded {0}):", age),
    );
    for (const { text, marked } of nearest.differences) {
      writer.line(`    ${text}`);
      if (marked !== undefined) writer.line(`        ${marked}`);
    }
    const origins = formatOrigins(nearest.differences, miss.request.values);
    if (origins !== "") writer.line(makeVisibleLine(origins));
  }
  // The page of a test's call has a button that records it.
  if (reader !== "editor") writer.line(repair);
}
