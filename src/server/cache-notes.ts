import { localize } from "../core/base/localize.ts";
import { findTestOfCall } from "../core/call/attribution.ts";
import type { Run, TestRef } from "../core/call/call.ts";
import { type TapedeckError, createBadRequest } from "../core/base/errors.ts";
import { isFields } from "../core/base/lenient.ts";
import type { Request, Response } from "./http/messages.ts";
import { readRequestBody } from "./http/messages.ts";

/** Takes the place of a provider's name in an address; no provider's name begins like this. */
export const CACHED = "@cached";

const OUTCOMES = ["replayed", "recorded", "forwarded", "miss"] as const;

/** A call that a test made to MetaGPT's own cache, as the hook in its process reports it. */
export interface CacheNote {
  readonly run: Run;
  /** MetaGPT's own key: the whole prompt. */
  readonly key: string;
  readonly outcome: (typeof OUTCOMES)[number];
  /** Absolute path of the cache, if the hook knows it. */
  readonly file?: string;
  readonly test?: TestRef;
}

/** Reports a call to the listeners of the engine. */
export type OnCached = (note: CacheNote) => Promise<void>;

/** Reads a hook's note. The hook waits for the answer, so that the report of a run that ends has the call. */
export async function receiveCacheNote(
  { request, response }: { readonly request: Request; readonly response: Response },
  {
    run,
    roots,
    onCached,
  }: { readonly run: Run; readonly roots: readonly string[]; readonly onCached: OnCached },
): Promise<void> {
  const note = readNote(await readRequestBody(request));
  if (request.method !== "POST" || note === undefined) throw noNote();
  const test = findTestOfCall(request.head.attribution, roots, run.test);
  await onCached({ ...note, run, ...(test && { test }) });
  response.writeHead(204).end();
}

const noNote = (): TapedeckError =>
  createBadRequest(
    localize("it is not a call to MetaGPT's cache."),
    localize("Send JSON with a key and an outcome, as the hooks do."),
  );

function readNote(body: Uint8Array): Pick<CacheNote, "key" | "outcome" | "file"> | undefined {
  let sent: unknown;
  try {
    sent = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  if (!isFields(sent) || typeof sent["key"] !== "string") return undefined;
  const outcome = OUTCOMES.find((one) => one === sent["outcome"]);
  const { key, file } = sent;
  return outcome && { key, outcome, ...(typeof file === "string" && { file }) };
}
