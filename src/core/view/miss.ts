import type { RecordedReply, Recording } from "../cassette/recording.ts";
import type { Difference, Key, Miss, Mode, TestRef } from "../call/call.ts";
import { pickDefined } from "../base/pick-defined.ts";
import { plural } from "../base/plural.ts";
import { isRunByTests } from "../call/test-names.ts";
import { shortKey } from "../cassette/address.ts";
import { visibleLine } from "../base/visible.ts";

/** A number that no take has, among identical calls that are recorded, from 1 to `last`; 0 where only other trials are. */
export interface OpenTake {
  readonly number: number;
  readonly last: number;
}

/** A recording that answers a missed call from now on; `recordedAt` is ISO 8601, UTC. It is not saved. */
export function recordingOfMiss(
  { provider, operation, model, key, request }: Miss,
  reply: RecordedReply,
  made: { readonly recordedAt: string; readonly test?: TestRef },
): Recording {
  return { provider, operation, ...pickDefined({ model }), key, request, reply, ...made };
}

/** What is told of a miss. */
type ToldMiss = Pick<
  Miss,
  "provider" | "operation" | "model" | "label" | "nearest" | "uncompared" | "number" | "last" | "cacheFile"
>;

/** Who reads of a miss. In a terminal, digits of `key` and of the nearest one are what links and `show` go by. */
export type MissReader = "editor" | "editor, no test" | TerminalReader;

interface TerminalReader {
  readonly key: Key;
  readonly mode?: Mode;
  /** The command that records the call; `tapedeck run` where absent. */
  readonly recordCommand?: string;
}

/** Whoever reads of it in the editor, where Record stands above tests alone. */
export function editorReader(test: TestRef | undefined): MissReader {
  return test !== undefined && isRunByTests(test) ? "editor" : "editor, no test";
}

/** A miss in three lines, the same for everybody: what is missing, what differs, what to do. */
export function missLines(
  told: ToldMiss,
  reader: MissReader,
): readonly [what: string, differs: string, repair: string] {
  const { provider, operation, model, label, cacheFile } = told;
  const key = typeof reader === "string" ? "." : `, key ${shortKey(reader.key)}`;
  const from = cacheFile === undefined ? "No recording" : `No entry in ${cacheFile}`;
  const what = `${from} for this ${model ?? `${provider} ${operation}`} call (${quote(label)})${key}`;
  return [visibleLine(what), visibleLine(differsLine(told, reader)), visibleLine(repairLine(told, reader))];
}

const SPELLED_OUT = 3;

function differsLine({ nearest, uncompared, number, last }: ToldMiss, reader: MissReader): string {
  if (number !== undefined && last === 0)
    return 'Other tests or trials recorded the same request, but not this one ("repeats" is "trials" in tapedeck.jsonc).';
  if (number !== undefined)
    return `It is call ${number} of ${last ?? "several"} identical ones, whose answer was not recorded, or was taken away since.`;
  const limit =
    uncompared === undefined
      ? ""
      : ` Only the newest recordings were compared, and ${plural(uncompared, "older one")} not.`;
  if (nearest === undefined) return `Nothing like it is recorded.${limit}`;
  const { key, differences, departure } = nearest;
  const what = differencesText(differences, SPELLED_OUT) || "a detail that has no words";
  const where = typeof reader === "string" ? "from the nearest recording" : `(nearest ${shortKey(key)})`;
  return `What differs ${where}: ${what}.${departure === undefined ? "" : ` First at ${departure.text}.`}${limit}`;
}

const RECORD = 'Record it: "Record" above the test';
const RECORD_WHEN_MADE = 'Record it: "Record when made again", then run what makes it';

const RECORD_IN_MODE = "Record it: switch Tapedeck to Record, then run what makes it";

function repairLine({ cacheFile }: ToldMiss, reader: MissReader): string {
  if (typeof reader === "string") {
    const whenMade = cacheFile === undefined ? RECORD_WHEN_MADE : RECORD_IN_MODE;
    return `${reader === "editor" ? RECORD : whenMade}.`;
  }
  const { mode = "strict", recordCommand } = reader;
  const command =
    recordCommand === undefined
      ? "`npx tapedeck run --mode record -- <your test command>` (again: `--last`)"
      : `\`${recordCommand}\``;
  return [
    ...(mode === "strict" ? [] : [`The mode is ${mode}.`]),
    `${RECORD} in VS Code, or ${command}.`,
  ].join(" ");
}

/** The first differences on one line, and how many more there are; empty where there is none. */
export function differencesText(differences: readonly Difference[], spelledOut = 5): string {
  const texts = differences.slice(0, spelledOut).map(({ text }) => text);
  const more = differences.length - texts.length;
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

const quote = (label: string): string => (/^["“]/.test(label) ? label : `"${label}"`);
