import { localize } from "../base/localize.ts";
import { createWrongUsage, type TapedeckError } from "../base/errors.ts";
import type { PlannedFault } from "../call/mocks.ts";
import { checkFailure, readEntryFields, checkNumber, readMockFile } from "./read-mock-file.ts";

type Fault = (why: string) => TapedeckError;

/**
 * Reads a fault plan: a JSON list, or one JSON object a line.
 * @throws TapedeckError `tapedeck_usage` that names the file and the place
 */
export function readFaults(text: string, file: string): readonly PlannedFault[] {
  const hint = localize(
    'A fault plan is a JSON list, or one JSON object per line: {"status": 429, "retryAfter": 1}, {"cutAfter": 10, "test": "my test"}, {"tokensPerSecond": 20}. See docs/mocks.md.',
  );
  return readMockFile({ what: localize("fault plan"), one: "fault", hint, read: readFault }, text, file);
}

const KINDS = ["status", "cutAfter", "disconnectAfter", "firstTokenMs", "tokensPerSecond", "ok"];
const NAMES = [...KINDS, "message", "retryAfter", "probability"];

/** Reads one fault. @throws the error that `fault` creates */
export function readFault(value: unknown, fault: Fault): PlannedFault {
  const fields = readEntryFields(value, { one: "fault", names: NAMES }, fault);
  const kinds = KINDS.filter((name) => fields[name] !== undefined);
  const isSlow = kinds.every((name) => name === "firstTokenMs" || name === "tokensPerSecond");
  if (kinds.length === 0) throw fault(localize("it has none of {0}", KINDS.join(", ")));
  if (kinds.length > 1 && !isSlow) throw fault(localize("{0} cannot be combined", kinds.join(" and ")));
  if (fields["status"] !== undefined) checkFailure(fields, fault);
  for (const name of ["cutAfter", "disconnectAfter"]) {
    checkNumber(fields, name, [0, Infinity], fault);
    if (fields[name] !== undefined && !Number.isInteger(fields[name]))
      throw fault(localize("{0} must be a whole number", name));
  }
  checkNumber(fields, "firstTokenMs", [0, 3_600_000], fault);
  checkNumber(fields, "tokensPerSecond", [0.01, 100_000], fault);
  checkNumber(fields, "probability", [0, 1], fault);
  if (fields["ok"] !== undefined && fields["ok"] !== true) throw fault(localize("ok can only be true"));
  return fields;
}

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
    const said = one.trim();
    if (said === "ok") return { ok: true };
    for (const [name, before, number] of SHORT) {
      const digits = said.slice(before.length);
      if (said.startsWith(before) && number.test(digits)) return readFault({ [name]: Number(digits) }, wrong);
    }
    throw wrong(localize("it is not a known short form"));
  });
}

/** A fault in short, as `parseFaults` takes it. What slows down in two ways is two of them. */
export function formatFault(fault: PlannedFault): string {
  const numbers = fault as Partial<Record<(typeof SHORT)[number][0], number>>;
  const said = SHORT.map(([name, before]) =>
    numbers[name] === undefined ? "" : `${before}${numbers[name]}`,
  );
  return said.filter(Boolean).join(" ") || "ok";
}
