import { formatCommand, joinSentences, localize, getProgramName } from "../base/localize.ts";
import type { GeneratedValue, RecordedReply, Recording } from "../cassette/recording.ts";
import type { Call, Difference, Key, Miss, Mode, TestRef } from "../call/call.ts";
import { createTapedeckError, explain, type TapedeckError } from "../base/errors.ts";
import { createRecordedRequest } from "../cassette/recorded-request.ts";
import type { NearestSearch } from "../match/nearest/nearest.ts";
import type { Exchange } from "../match/read-request.ts";
import { pickDefined } from "../base/pick-defined.ts";
import { localizeCount } from "../base/plural.ts";
import { isRunByTests } from "../call/test-names.ts";
import { shortenKey } from "../cassette/address.ts";
import { makeVisibleLine } from "../base/visible.ts";

/** The missing take among identical recorded calls. `last` is the highest take, or 0 if only other trials have the request. */
export interface OpenTake {
  readonly number: number;
  readonly last: number;
}

/** Builds the recording that answers a missed call with `reply`; `recordedAt` is ISO 8601, UTC. It is not saved. */
export function describeRecordingOfMiss(
  { provider, operation, model, key, request }: Miss,
  reply: RecordedReply,
  origin: { readonly recordedAt: string; readonly test?: TestRef },
): Recording {
  return { provider, operation, ...pickDefined({ model }), key, request, reply, ...origin };
}

/**
 * Composes the failure of a call that no source of its mode answers. `miss` describes it, which only listeners need.
 * `shown`: the exchange without secrets.
 */
export function composeMiss(
  exchange: Exchange,
  known: NearestSearch | OpenTake = {},
  shown: Exchange = exchange,
): { readonly error: TapedeckError; readonly miss: () => Miss } {
  const { call, key, provider, protocol } = exchange;
  const { model, label } = shown.facts;
  const described = {
    provider: provider.name,
    operation: protocol.operation,
    ...(model !== undefined && { model }),
    label,
    ...known,
  };
  const { mode, recordCommand, howToRecord } = call.run;
  const reader = { key, mode, recordCommand, howToRecord };
  const [what, differs, repair] = formatMissLines({ ...described, request: exchange }, reader);
  // Programs read the whole key from the message.
  const error = createTapedeckError("tapedeck_miss", `${what}\n${differs}`, {
    hint: `${repair}\nKey: ${key}`,
  });
  const miss = (): Miss => ({
    ...described,
    key,
    request: createRecordedRequest(call, exchange.headers, exchange.values),
    message: explain(error),
  });
  return { error, miss };
}

/** The parts of a miss that its report uses. */
type MissSummary = Pick<
  Miss,
  "provider" | "operation" | "model" | "label" | "nearest" | "uncompared" | "number" | "last" | "cacheFile"
> & { readonly request?: Pick<Miss["request"], "values"> };

/** Where a miss is reported. A terminal shows the first digits of `key`, which links and `tapedeck show` accept. */
export type MissReader = "editor" | "editor, no test" | TerminalReader;

interface TerminalReader {
  readonly key: Key;
  readonly mode?: Mode;
  /** The command that records the call. Default: `tapedeck run`. */
  readonly recordCommand?: string | undefined;
  /** A sentence in the place of the command. */
  readonly howToRecord?: string | undefined;
}

/** The reader of a miss in the editor, which offers Record above tests only. */
export function createEditorReader(test: TestRef | undefined): MissReader {
  return test !== undefined && isRunByTests(test) ? "editor" : "editor, no test";
}

/** Returns a miss in three lines: what is missing, what differs from the nearest recording, and what to do. */
export function formatMissLines(
  miss: MissSummary,
  reader: MissReader,
): readonly [what: string, differs: string, repair: string] {
  const { provider, operation, model, label, cacheFile } = miss;
  const called = model ?? `${provider} ${operation}`;
  const what =
    cacheFile === undefined
      ? localize("No recording for this {0} call ({1})", called, quote(label))
      : localize("No entry in {0} for this {1} call ({2})", cacheFile, called, quote(label));
  const head =
    typeof reader === "string"
      ? localize("{0}.", what)
      : localize("{0}, key {1}", what, shortenKey(reader.key));
  return [
    makeVisibleLine(head),
    makeVisibleLine(differsLine(miss, reader)),
    makeVisibleLine(repairLine(miss, reader)),
  ];
}

const SPELLED_OUT = 3;

function differsLine(miss: MissSummary, reader: MissReader): string {
  const { nearest, uncompared, number, last } = miss;
  if (number !== undefined && last === 0)
    return localize(
      'Other tests or trials recorded the same request, but this one did not ("repeats" is "trials" in tapedeck.jsonc).',
    );
  if (number !== undefined)
    return last === undefined
      ? localize("Its response as identical call {0} was not recorded, or was deleted.", number)
      : localize("Its response as identical call {0} of {1} was not recorded, or was deleted.", number, last);
  const limit =
    uncompared === undefined
      ? ""
      : localizeCount(
          uncompared,
          "Only the newest recordings were compared; {0} older one was not.",
          "Only the newest recordings were compared; {0} older ones were not.",
        );
  if (nearest === undefined) return joinSentences(localize("No similar call is recorded."), limit);
  const { key, differences } = nearest;
  const what =
    formatDifferences(differences) ||
    localize("nothing that can be shown; its file may have been edited, or the rules changed");
  const differs =
    typeof reader === "string"
      ? localize("Differs from the nearest recording: {0}.", what)
      : localize("Differs from the nearest recording ({0}): {1}.", shortenKey(key), what);
  return joinSentences(
    differs.replace(/(?<=[.!?]")\.$/u, ""), // a quoted sentence has its own period
    formatOrigins(differences, miss.request?.values),
    limit,
  );
}

/** The name of a model, and a size such as 1024x1024, do not look generated. */
const LIKE_AN_ID = /(?<![\w-]|\/models?\/[^/]*)(?!\d+x\d+(?![\w-]))(?=[\w-]*\d)[\w-]{8,}/;

/** Returns which values match by origin, or that no origin is known for differing values that look generated; "" if neither applies. */
export function formatOrigins(
  differences: readonly Difference[],
  values: readonly GeneratedValue[] = [],
): string {
  const known = values.slice(0, SPELLED_OUT).map(({ text, origin }) => localize("{0} ({1})", text, origin));
  if (known.length > 0) return localize("Matched by origin: {0}.", known.join(localize("; ")));
  const isUnknown = differences.some(
    ({ at, recorded = "", asked = "" }) =>
      at !== "header" && at !== "/model" && LIKE_AN_ID.test(recorded) && LIKE_AN_ID.test(asked),
  );
  return isUnknown ? localize("No origin is known for the values that differ.") : "";
}

function repairLine({ cacheFile }: MissSummary, reader: MissReader): string {
  if (typeof reader === "string") {
    if (reader === "editor") return localize('To record it, choose "Record" above the test.');
    return cacheFile === undefined
      ? localize('To record it, choose "Record when made again", then run the code that makes it.')
      : localize("To record it, switch Tapedeck to record mode, then run the code that makes it.");
  }
  const { mode = "strict", recordCommand, howToRecord } = reader;
  return joinSentences(
    mode === "strict" ? "" : localize("The mode is {0}.", mode),
    howToRecord ?? recordLine(recordCommand),
  );
}

const recordLine = (command: string | undefined): string =>
  command === undefined
    ? formatCommand(
        localize(
          'To record it, choose "Record" above the test in VS Code, or run `{0} run --mode record -- <your test command>`.',
          getProgramName(),
        ),
        localize('To record it, choose "Record" above the test in VS Code, or run it again in record mode.'),
      )
    : localize('To record it, choose "Record" above the test in VS Code, or run `{0}`.', command);

/** Returns the first differences on one line and the number of the others; "" if there are none. */
function formatDifferences(differences: readonly Difference[]): string {
  const texts = differences.slice(0, SPELLED_OUT).map(({ text }) => text);
  const more = differences.length - texts.length;
  return [...texts, ...(more > 0 ? [localize("and {0} more", more)] : [])].join(localize("; "));
}

const quote = (label: string): string => (/^["“]/.test(label) ? label : `"${label}"`);

/** Returns the command that makes all calls of a test again, or in VS Code what to do. */
export const getRefreshCommand = ({ run: { recordCommand } }: Pick<Call, "run">): string =>
  recordCommand?.replace(/(?<=--mode |--tapedeck=|tape\(")record/, "refresh") ??
  formatCommand(
    `${getProgramName()} run --mode refresh -- <your test command>`,
    localize("run it in refresh mode."),
  );
