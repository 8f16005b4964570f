import { writeOtlp, type TracedCall } from "../../core/formats/export/otlp.ts";
import { whereOurs, attempt } from "../../core/errors.ts";
import type { RecordingView } from "../../core/describe.ts";
import type { Deck } from "../../deck/deck.ts";
import { version, type Arguments } from "../command.ts";
import type { RunEvent } from "./run-report.ts";
import type { Terminal } from "../terminal.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import type { ExportedCall } from "../../core/formats/export/exported-call.ts";
import { instantOf } from "../../core/view/age.ts";

export const CONTENT_HELP = [
  "--content",
  "traces (otlp) have prompts and answers in them; without it they have numbers and names alone",
] as const;

/** The variable by which programs that trace themselves are told the same. */
const CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
const CAPTURED = new Set(["true", "span_only", "span_and_event"]);

export function wantsContent(args: Arguments, { env }: Pick<Terminal, "env">): boolean {
  return args.has("content") || CAPTURED.has((env[CAPTURE] ?? "").toLowerCase());
}

/** The calls of a run as traces. Reads the recordings that answered them, each once. */
export async function runTraces(
  events: readonly RunEvent[],
  deck: Pick<Deck, "store" | "describe">,
  content: boolean,
): Promise<string> {
  const views = new Map<string, RecordingView | undefined>();
  const calls: TracedCall[] = [];
  for (const event of events) {
    const { entry } = event;
    if (entry !== null && !views.has(entry)) views.set(entry, await viewOf(entry, deck));
    calls.push(tracedCall(event, entry === null ? undefined : views.get(entry)));
  }
  const [first] = events;
  return writeOtlp(calls, { version: version(), seed: `${first?.run} ${first?.at}`, content });
}

function tracedCall(event: RunEvent, view: RecordingView | undefined): TracedCall {
  const { at, ms, provider, operation, model, outcome, entry, test, parent } = event;
  return {
    at,
    ms,
    provider,
    operation,
    model,
    outcome,
    test,
    parent,
    view,
    entry: entry ?? undefined,
    error: errorOf(event),
  };
}

/** A status, or a word of ours, as the conventions want it: few values, for counting. */
function errorOf({ outcome, upstreamStatus, failedWith }: RunEvent): string | undefined {
  if (outcome === "miss") return "tapedeck_miss";
  if (upstreamStatus !== undefined && upstreamStatus >= 400) return String(upstreamStatus);
  if (failedWith !== undefined) return String(failedWith);
  return outcome === "refused" ? "tapedeck_refused" : undefined;
}

/** What cannot be read any more has no numbers; the call was made nevertheless. */
function viewOf(entry: string, deck: Pick<Deck, "store" | "describe">): Promise<RecordingView | undefined> {
  return deck.store
    .read(entry)
    .then((recording) => deck.describe(recording))
    .catch(whereOurs(() => undefined));
}

/** Recordings as traces of the runs that made them, as far as their times are known. */
export function recordedTraces(calls: readonly ExportedCall[], deck: Deck, content: boolean): string {
  const inOrder = calls
    .map(({ recording }) => recording)
    .toSorted((a, b) => (a.recordedAt < b.recordedAt ? -1 : 1));
  const traced = inOrder.map((recording) => {
    const { provider, operation, model, test, reply, recordedAt } = recording;
    const ms = (reply.waitsMs ?? []).reduce((sum, one) => sum + one, 0);
    const error = reply.status >= 400 ? String(reply.status) : undefined;
    const view = tryDescribe(recording, deck);
    return { at: instantOf(recordedAt) ?? 0, ms, provider, operation, model, test, error, view };
  });
  return writeOtlp(traced, { version: version(), seed: inOrder.map(({ key }) => key).join(" "), content });
}

/** The readable side of a recording; undefined where its request is not what its operation takes (any more). */
export function tryDescribe(recording: Recording, deck: Deck): RecordingView | undefined {
  return attempt(
    () => deck.describe(recording),
    () => undefined,
  );
}
