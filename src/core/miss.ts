import { explain, tapedeckError, type TapedeckError } from "./errors.ts";
import { recordedRequest } from "./cassette/recorded-request.ts";
import type { RecordedReply, Recording } from "./cassette/recording.ts";
import type { Difference, Miss, Mode, Nearest, TestRef } from "./call.ts";
import type { Exchange } from "./source/source.ts";
import { proposalText } from "./view/rule-text.ts";

/** The failure that a call gets when no source of its mode answers it. */
export function miss(
  exchange: Exchange,
  nearest: Nearest | undefined,
  open?: OpenTake,
): { readonly error: TapedeckError; readonly miss: Miss } {
  const { call, key, provider, protocol, facts } = exchange;
  const what = facts.model ?? `${provider.name} ${protocol.operation}`;
  const message = [
    `No recording for this ${what} call (${quote(facts.label)}), key ${key}.`,
    open === undefined ? nearestLine(nearest) : openLine(open),
  ].join(" ");
  const proposal = nearest && proposalText(nearest);
  const hint = [recordLine(call.run.mode), ...(proposal === undefined ? [] : [proposal])].join(" ");
  const error = tapedeckError("tapedeck_miss", message, { hint });
  return {
    error,
    miss: {
      key,
      provider: provider.name,
      operation: protocol.operation,
      ...(facts.model !== undefined && { model: facts.model }),
      label: facts.label,
      request: recordedRequest(call),
      ...(nearest !== undefined && { nearest }),
      ...(open !== undefined && { number: open.number }),
      message: explain(error),
    },
  };
}

/** A number that no take has, among identical calls that are recorded, from 1 to `last`. */
export interface OpenTake {
  readonly number: number;
  readonly last: number;
}

function openLine({ number, last }: OpenTake): string {
  return `It is call ${number} of ${last} identical ones, whose answer was not recorded, or was taken away since.`;
}

/** A recording that answers a missed call from now on; `recordedAt` is ISO 8601, UTC. It is not saved. */
export function recordingOfMiss(
  { provider, operation, model, key, request }: Miss,
  reply: RecordedReply,
  made: { readonly recordedAt: string; readonly test?: TestRef },
): Recording {
  return { provider, operation, ...(model !== undefined && { model }), key, request, reply, ...made };
}

function nearestLine(nearest: Nearest | undefined): string {
  if (nearest === undefined) return "Nothing of this kind is recorded yet.";
  const { entry, differences, departure } = nearest;
  const departs = departure === undefined ? "" : ` First at ${departure.text}.`;
  return `Nearest is ${entry}; it differs in ${differencesText(differences)}.${departs}`;
}

/** The first differences on one line, and how many more there are; empty where there is none. */
export function differencesText(differences: readonly Difference[], spelledOut = 5): string {
  const texts = differences.slice(0, spelledOut).map(({ text }) => text);
  const more = differences.length - texts.length;
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

function recordLine(mode: Mode): string {
  const how =
    'Record it: "Record" above the test in VS Code, or `npx tapedeck run --mode record -- <your test command>`.';
  return mode === "strict" ? how : `The mode is ${mode}. ${how}`;
}

function quote(label: string): string {
  return /^["“]/.test(label) ? label : `"${label}"`;
}
