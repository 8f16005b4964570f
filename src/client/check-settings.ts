import { invalid } from "./errors.ts";
import { isFields } from "../core/protocol/reading/lenient.ts";
import { notJson, shown, typeName } from "./json/plain.ts";
import { THINKING_EFFORTS, type ChatSettings } from "./request.ts";

/** @throws ChatError "validation" for a value that no provider takes: a negative limit, an unknown effort, a circle. */
export function checkSettings(settings: unknown): void {
  if (settings === undefined) return;
  if (!isFields(settings)) throw invalid("settings", `an object is expected, got ${typeName(settings)}`);
  for (const [name, value] of Object.entries(settings)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof ChatSettings] : undefined;
    if (check === undefined)
      throw invalid(
        `settings.${name}`,
        "there is no such setting",
        "Put what only one provider knows into `extra`.",
      );
    const fault = value === undefined ? undefined : check(value);
    if (fault !== undefined) throw invalid(`settings.${name}`, fault);
  }
}

type Check = (value: unknown) => string | undefined;

const CHECKS: Record<keyof ChatSettings, Check> = {
  maxOutputTokens: wholeFrom(1),
  temperature: between(0, Number.MAX_VALUE),
  topP: between(0, 1),
  topK: wholeFrom(0),
  minP: between(0, 1),
  frequencyPenalty: between(-2, 2),
  presencePenalty: between(-2, 2),
  repetitionPenalty: between(0, Number.MAX_VALUE),
  stop: (value) =>
    Array.isArray(value) && value.every((item) => typeof item === "string")
      ? undefined
      : `a list of texts is expected, got ${shown(value)}`,
  seed: (value) => (Number.isInteger(value) ? undefined : `a whole number is expected, got ${shown(value)}`),
  thinking: thinkingFault,
  parallelToolCalls: (value) =>
    typeof value === "boolean" ? undefined : `true or false is expected, got ${shown(value)}`,
  timeoutMs: (value) =>
    typeof value === "number" && value > 0
      ? undefined
      : `milliseconds above 0 are expected, got ${shown(value)}`,
  headers: (value) =>
    isFields(value) && Object.values(value).every((item) => typeof item === "string")
      ? undefined
      : "an object of texts is expected",
  extra: (value) => {
    if (!isFields(value)) return `an object is expected, got ${typeName(value)}`;
    const fault = notJson(value, "settings.extra");
    return fault === undefined ? undefined : `JSON cannot hold ${fault}`;
  },
};

function wholeFrom(least: number): Check {
  return (value) =>
    Number.isSafeInteger(value) && Number(value) >= least
      ? undefined
      : `a whole number from ${least} on is expected, got ${shown(value)}`;
}

function between(least: number, most: number): Check {
  const range = most === Number.MAX_VALUE ? `from ${least} on` : `from ${least} to ${most}`;
  return (value) =>
    typeof value === "number" && value >= least && value <= most
      ? undefined
      : `a number ${range} is expected, got ${typeof value === "number" ? value : shown(value)}`;
}

function thinkingFault(value: unknown): string | undefined {
  if (THINKING_EFFORTS.some((effort) => effort === value)) return undefined;
  if (isFields(value)) {
    const fault = wholeFrom(0)(value["budgetTokens"]);
    return fault === undefined ? undefined : `budgetTokens: ${fault}`;
  }
  return `${shown(value)} is none of ${THINKING_EFFORTS.join(", ")} and { budgetTokens: … }`;
}
