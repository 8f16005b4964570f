import { localize } from "../base/localize.ts";
import { createWrongUsage, type TapedeckError } from "../base/errors.ts";
import { isJsonFault } from "../base/json/json-parse.ts";
import type { PlannedFault } from "../call/mocks.ts";
import {
  createFileFault,
  parseFile,
  readInteger,
  readKnown,
  readNumber,
  type FilePlace,
} from "../cassette/file-reader.ts";
import { FAILURE, MATCH, readMockFile, type MockFile } from "./read-mock-file.ts";

const KINDS = ["status", "cutAfter", "disconnectAfter", "firstTokenMs", "tokensPerSecond", "ok"];

/** A fault plan: a JSON list, or one JSON object a line. */
export const FAULTS: MockFile<PlannedFault> = {
  what: () => localize("fault plan"),
  hint: () =>
    localize(
      'A fault plan is a JSON list, or one JSON object per line: {"status": 429, "retryAfter": 1}, {"cutAfter": 10, "test": "my test"}, {"tokensPerSecond": 20}. See docs/mocks.md.',
    ),
  read(place) {
    const count = (events: FilePlace): number => readInteger(events, 0);
    const fault = readKnown(place, {
      ...MATCH,
      ...FAILURE,
      cutAfter: count,
      disconnectAfter: count,
      firstTokenMs: (ms) => readNumber(ms, 0, 3_600_000),
      tokensPerSecond: (rate) => readNumber(rate, 0.01, 100_000),
      probability: (chance) => readNumber(chance, 0, 1),
      ok: readTrue,
    });
    const kinds = KINDS.filter((name) => name in fault);
    const isSlow = kinds.every((name) => name === "firstTokenMs" || name === "tokensPerSecond");
    if (kinds.length === 0) throw createFileFault(place, localize("has none of {0}", KINDS.join(", ")));
    if (kinds.length > 1 && !isSlow)
      throw createFileFault(place, localize("cannot combine {0}", kinds.join(", ")));
    return fault;
  },
};

function readTrue(place: FilePlace): true {
  if (place.tree === true) return true;
  throw createFileFault(place, localize("can only be true"));
}

/** Reads a fault plan. @throws TapedeckError `tapedeck_usage` that names the file and the place */
export const readFaults = (text: string, file: string): readonly PlannedFault[] =>
  readMockFile(FAULTS, text, file);

/** Each kind in its short form: the word, and its number. */
const SHORT = [
  ["status", "", /^[45]\d\d$/],
  ["cutAfter", "cut:", /^\d{1,9}$/],
  ["disconnectAfter", "disconnect:", /^\d{1,9}$/],
  ["firstTokenMs", "slow:", /^\d{1,7}$/],
  ["tokensPerSecond", "rate:", /^\d{1,5}(?:\.\d{1,3})?$/],
] as const;

/** Faults in short, as they come call by call: `429,ok,cut:10`. @throws TapedeckError `tapedeck_usage` */
export function parseFaults(text: string): readonly PlannedFault[] {
  return text.split(",").map((one) => {
    const wrong = (why: string): TapedeckError =>
      createWrongUsage(
        localize('"{0}" is not a fault: {1}.', one, why),
        localize(
          "Use a status (429), cut:10, disconnect:3, slow:2000, rate:20, or ok, separated by commas, or a .json or .jsonl file.",
        ),
      );
    const short = one.trim();
    if (short === "ok") return { ok: true };
    for (const [name, before, number] of SHORT) {
      const digits = short.slice(before.length);
      if (!short.startsWith(before) || !number.test(digits)) continue;
      try {
        return FAULTS.read(parseFile(JSON.stringify({ [name]: Number(digits) })));
      } catch (error) {
        throw isJsonFault(error) ? wrong(error.reason) : error;
      }
    }
    throw wrong(localize("it is not a known short form"));
  });
}

/** A fault in short, as `parseFaults` takes it. What slows down in two ways is two of them. */
export function formatFault(fault: PlannedFault): string {
  const numbers = fault as Partial<Record<(typeof SHORT)[number][0], number>>;
  const parts = SHORT.map(([name, before]) =>
    numbers[name] === undefined ? "" : `${before}${numbers[name]}`,
  );
  return parts.filter(Boolean).join(" ") || "ok";
}
