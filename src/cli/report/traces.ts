import { localize } from "../../core/base/localize.ts";
import { writeOtlp } from "../../core/view/otlp.ts";
import { attempt } from "../../core/base/errors.ts";
import type { RecordingView } from "../../core/view/describe.ts";
import type { Deck } from "../../deck/deck.ts";
import type { Arguments } from "../command.ts";
import { readVersion } from "../version.ts";
import type { Terminal } from "../terminal.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import type { ExportedCall } from "../../core/formats/export/exported-call.ts";
import { parseInstant } from "../../core/base/age.ts";

export const CONTENT_HELP = [
  "--content",
  localize("include prompts and responses in traces (otlp); by default, only numbers and names"),
] as const;

/** The variable that enables content for programs with their own tracing. It has the same effect as `--content`. */
const CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
const CAPTURED = new Set(["true", "span_only", "span_and_event"]);

export function wantsContent(args: Arguments, { env }: Pick<Terminal, "env">): boolean {
  return args.has("content") || CAPTURED.has((env[CAPTURE] ?? "").toLowerCase());
}

/** Formats recordings as traces of the runs that made them, as far as their times are known. */
export function renderRecordedTraces(calls: readonly ExportedCall[], deck: Deck, content: boolean): string {
  const inOrder = calls
    .map(({ recording }) => recording)
    .toSorted((a, b) => (a.recordedAt < b.recordedAt ? -1 : 1));
  const traced = inOrder.map((recording) => {
    const { provider, operation, model, test, reply, recordedAt } = recording;
    const ms = (reply.waitsMs ?? []).reduce((sum, one) => sum + one, 0);
    const error = reply.status >= 400 ? String(reply.status) : undefined;
    const view = tryDescribe(recording, deck);
    return { at: parseInstant(recordedAt) ?? 0, ms, provider, operation, model, test, error, view };
  });
  return writeOtlp(traced, {
    version: readVersion(),
    seed: inOrder.map(({ key }) => key).join(" "),
    content,
  });
}

/** Returns the readable view of a recording; undefined if its request is not valid for its operation. */
export function tryDescribe(recording: Recording, deck: Deck): RecordingView | undefined {
  return attempt(
    () => deck.describe(recording),
    () => undefined,
  );
}
