import { readFields, isFields, tryParsePlainJson, readText, type Fields } from "../../base/lenient.ts";
import { decodeText } from "../../base/wire/text.ts";
import type { WireHeaders } from "../../call/call.ts";
import type { RecordedReply } from "../../cassette/recording.ts";

/**
 * States in which a job goes on, in lowercase and without Google's prefix. Sources, 2026-11: the SDKs of OpenAI (responses, runs,
 * batches, videos, fine-tuning, vector stores), Anthropic (batches), Google (operations, files, batches, tunings,
 * interactions), AWS (`StartAsyncInvoke`, model invocation jobs), DashScope (tasks), and Replicate (predictions).
 */
const OPEN: ReadonlySet<string> = new Set([
  "queued",
  "pending",
  "submitted",
  "scheduled",
  "validating",
  "validating_files",
  "created",
  "starting",
  "in_progress",
  "inprogress",
  "running",
  "processing",
  "finalizing",
  "stopping",
  "suspended",
  "canceling",
  "cancelling",
]);

/** Longer bodies are results. Bytes. */
const MAX_BODY = 4 * 1_048_576;

/** The state of a job, as a reply reports it. */
export interface JobState {
  /** E.g. "in_progress". */
  readonly name: string;
  /** Whether the job goes on. */
  readonly isOpen: boolean;
}

/** Reads the state of a job from the reply to a poll; undefined if it reports none. */
export function readJobState({ status, body }: Pick<RecordedReply, "status" | "body">): JobState | undefined {
  if (status < 200 || status >= 300 || body.byteLength > MAX_BODY) return undefined;
  // xAI answers without a body until a deferred chat is ready.
  if (status === 202) return { name: "pending", isOpen: true };
  const fields = tryParsePlainJson(decodeText(body));
  return isFields(fields) ? readState(fields) : undefined;
}

function readState(fields: Fields): JobState | undefined {
  const { status, state, processing_status: processing, output, metadata, done, name, response } = fields;
  const states = [
    processing,
    status,
    state,
    readFields(output)["task_status"],
    readFields(metadata)["state"],
  ];
  const text = states.map(readText).find((one) => one !== undefined);
  if (text !== undefined) {
    const plain = text.toLowerCase().replace(/^(?:job|batch)_state_/, "");
    return { name: text, isOpen: OPEN.has(plain) };
  }
  // Google's operations have no state: they are done, or not yet.
  if (!/(?:^|\/)operations\//.test(readText(name) ?? "")) return undefined;
  const isDone = done === true || response !== undefined || fields["error"] !== undefined;
  return { name: isDone ? "done" : "running", isOpen: !isDone };
}

/** Has OpenAI's clients poll again at once. Without this header, they wait for one to five seconds. */
export function withoutPollDelay(headers: WireHeaders = []): WireHeaders {
  return headers.some(([name]) => name === POLL_AFTER) ? headers : [...headers, [POLL_AFTER, "0"]];
}

const POLL_AFTER = "openai-poll-after-ms";
