import { wrongUsage, type TapedeckError } from "../errors.ts";
import { isFields } from "../protocol/reading/lenient.ts";
import type { ContextLimits } from "./mocks.ts";

const NUMBERS = ["maxInputTokens", "maxContextTokens", "maxOutputTokens", "keepToolResults"] as const;
const LIMITS: readonly string[] = ["maxInputTokens", "maxContextTokens", "keepToolResults"];

/** Limits of context, as a value. @throws what `fault` makes of what is wrong */
export function readContext(value: unknown, fault: (why: string) => Error): ContextLimits {
  if (!isFields(value)) throw fault("an object is expected");
  const names: readonly string[] = [...NUMBERS, "over"];
  for (const name of Object.keys(value))
    if (!names.includes(name))
      throw fault(`"${name}" is nothing that context has; it has ${names.join(", ")}`);
  for (const name of NUMBERS) {
    const { [name]: number } = value;
    if (number !== undefined && !(Number.isSafeInteger(number) && Number(number) >= 0))
      throw fault(`${name} must be a whole number from 0`);
  }
  const { over } = value;
  if (over !== undefined && over !== "fail" && over !== "tell") throw fault('over must be "fail" or "tell"');
  if (!LIMITS.some((name) => value[name] !== undefined)) throw fault(`it has none of ${LIMITS.join(", ")}`);
  return value;
}

const SHORT: Readonly<Record<string, (typeof NUMBERS)[number]>> = {
  input: "maxInputTokens",
  window: "maxContextTokens",
  answer: "maxOutputTokens",
  keep: "keepToolResults",
};

/** Limits in short: `input:20000,window:128000,keep:5,tell`. @throws TapedeckError `tapedeck_usage` */
export function contextInShort(text: string): ContextLimits {
  const wrong = (why: string): TapedeckError =>
    wrongUsage(
      `"${text}" are no limits of context: ${why}.`,
      "Name input:20000 (tokens of a test together), window:128000 (of a call), answer:4096, keep:5 (tool results) or tell, with commas between them.",
    );
  const limits: Record<string, unknown> = {};
  for (const one of text.split(",").map((part) => part.trim())) {
    const [, name = "", number] = /^([a-z]+):(\d{1,12})$/u.exec(one) ?? [];
    const member = Object.hasOwn(SHORT, name) ? SHORT[name] : undefined;
    if (one === "tell") limits["over"] = "tell";
    else if (member === undefined) throw wrong(`"${one}" is none of them`);
    else limits[member] = Number(number);
  }
  return readContext(limits, wrong);
}
