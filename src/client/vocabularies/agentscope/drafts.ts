import type { JsonObject } from "../../json/repair-json.ts";
import type { Surroundings } from "../../surroundings.ts";
import {
  chatResponse,
  chatUsage,
  generatedId,
  type Block,
  type ChatResponse,
  type ChatUsage,
} from "./response.ts";

/** What is known of an answer at one moment. Its maker may go on to change it: every response is a copy. */
export interface Draft {
  readonly content: readonly Block[];
  readonly id?: string | undefined;
  readonly usage?: Counts | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface Counts {
  readonly input: number;
  readonly output: number;
  /** What goes into the metadata of every response's usage. */
  readonly raw?: unknown;
  /** What only the last response of a stream says. */
  readonly rawAtEnd?: unknown;
}

/** When a call began, and the world it lives in. */
export interface CallTime {
  readonly startedMs: number;
  readonly surroundings: Surroundings;
}

/** Drafts as they come, and at the end what is known then. */
export type Drafts = AsyncGenerator<Draft, Draft, void>;

/** Makes a stream's responses of drafts: independent copies, one id where the provider gives none, and one last response. */
export async function* streamed(drafts: Drafts, time: CallTime): AsyncGenerator<ChatResponse, void, void> {
  const ownId = generatedId(time.surroundings);
  try {
    let step = await drafts.next();
    while (step.done !== true) {
      yield responseOf(step.value, time, ownId);
      step = await drafts.next();
    }
    const { usage } = step.value;
    const metadata = usage?.raw ?? usage?.rawAtEnd;
    const last: Draft = { ...step.value, usage: usage && { ...usage, raw: metadata } };
    yield { ...responseOf(last, time, ownId), is_last: true };
  } finally {
    // Whoever leaves early ends the request.
    await drafts.return({ content: [] });
  }
}

export function responseOf(draft: Draft, time: CallTime, ownId?: string): ChatResponse {
  const { content, id = ownId, usage, metadata } = draft;
  return chatResponse(
    {
      content: structuredClone([...content]),
      usage: usage === undefined ? null : usageOf(usage, time),
      metadata: metadata === undefined ? null : structuredClone(metadata),
      ...(id !== undefined && { id }),
    },
    time.surroundings,
  );
}

function usageOf({ input, output, raw }: Counts, { startedMs, surroundings }: CallTime): ChatUsage {
  return chatUsage({
    input_tokens: input,
    output_tokens: output,
    time: (surroundings.now() - startedMs) / 1000,
    metadata: raw === undefined ? null : structuredClone(raw),
  });
}
