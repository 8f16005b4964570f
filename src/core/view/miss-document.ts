import type { Miss, TestRef } from "../call.ts";
import { ageInWords, instantOf } from "./age.ts";
import { toolCallsOf } from "./message-text.ts";
import { writeRequest, writeSettings } from "./recording-document.ts";
import type { RequestView } from "../describe.ts";
import {
  createDocumentWriter,
  type DocumentWriter,
  type RenderedDocument,
  type Span,
} from "./rendered-document.ts";
import { proposalText } from "./rule-text.ts";
import { shortKey } from "./names.ts";
import { testSpans } from "./names.ts";

export interface MissDocumentOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The test that asked, where it is known. */
  readonly test?: TestRef;
  /** How often it was asked. */
  readonly count?: number;
}

/** A missing call: what is missing and for whom, what the nearest recording has otherwise, and what was asked. */
export function renderMiss(miss: Miss, view: RequestView, options: MissDocumentOptions): RenderedDocument {
  const writer = createDocumentWriter();
  writer.line(...titleSpans(miss, options));
  if (options.test?.at) writer.line(...callSiteSpans(options.test.at));
  writer.line(`${miss.provider} · ${miss.operation}`.padEnd(52), ` key ${shortKey(miss.key)}`);
  writeNearest(writer, miss, options.now);
  writer.line();
  writeRequest(writer, view.conversation, toolCallsOf(view.conversation.messages));
  writeSettings(writer, view.conversation);
  return writer.finish();
}

function titleSpans(miss: Miss, { test, count = 1 }: MissDocumentOptions): readonly Span[] {
  const times = count > 1 ? ` (${count} times)` : "";
  const what = `Missing: ${miss.model ?? miss.operation}`;
  if (test === undefined) return [`${what}, asked outside any known test${times}`];
  return [`${what}, asked by `, ...testSpans(test, " "), times];
}

/** Where the call was made, when that is not in the test itself. */
function callSiteSpans({ file, line }: NonNullable<TestRef["at"]>): readonly Span[] {
  return ["Called in ", { text: `${file}:${line}`, target: { kind: "test", file, line } }];
}

function writeNearest(writer: DocumentWriter, miss: Miss, now: number): void {
  const { nearest } = miss;
  if (nearest === undefined) {
    writer.line(`Nearest: nothing recorded asks ${miss.provider} for ${miss.operation}.`);
    return;
  }
  const at = instantOf(nearest.recordedAt);
  const age = at === undefined ? nearest.recordedAt : ageInWords(at, now);
  const link = {
    text: shortKey(nearest.key),
    target: { kind: "recording" as const, entry: nearest.entry },
  };
  writer.line("Nearest: ", link, ` (recorded ${age}). What differs:`);
  for (const difference of nearest.differences) writer.line(`    ${difference.text}`);
  if (nearest.departure) writer.line(`    First at ${nearest.departure.text}.`);
  const proposal = proposalText(nearest);
  if (proposal !== undefined) writer.line(proposal);
}
