import { createOwnScanner } from "../local/own-scanner.ts";
import { mayTitleHoldSecret } from "../../core/secrets/scanner.ts";
import type { RunCall, RunRecord } from "../../core/view/run-record/run-record.ts";

/** Returns a run without secrets in its texts, under any policy; the same object if there are none. */
export async function withoutSecretsIn(record: RunRecord): Promise<RunRecord> {
  const { title = "", calls } = record;
  const sentences = [
    title,
    ...calls.flatMap(({ label, note = "", test }) => [label, note, ...(test?.name ?? [])]),
  ];
  // Long words with digits are usual in names of models and files.
  const names = [
    ...new Set(calls.flatMap(({ model = "", answered = "", test }) => [model, answered, test?.file ?? ""])),
  ];
  const mayHold =
    mayTitleHoldSecret({ name: sentences }) || names.some((file) => mayTitleHoldSecret({ name: [], file }));
  if (!mayHold) return record;
  const texts = [...new Set([...sentences, ...names])];
  const { redactTexts } = await import("../../core/secrets/redact-call.ts");
  const redacted = redactTexts(texts, await createOwnScanner());
  const known = new Map(texts.map((text, index) => [text, redacted[index] ?? ""]));
  const redactText = (text: string): string => known.get(text) ?? "";
  return {
    ...record,
    ...(record.title !== undefined && { title: redactText(record.title) }),
    calls: calls.map((call) => callWith(call, redactText)),
  };
}

function callWith(call: RunCall, redact: (text: string) => string): RunCall {
  const { label, model, answered, note, test } = call;
  return {
    ...call,
    label: redact(label),
    ...(model !== undefined && { model: redact(model) }),
    ...(answered !== undefined && { answered: redact(answered) }),
    ...(note !== undefined && { note: redact(note) }),
    ...(test !== undefined && { test: { ...test, file: redact(test.file), name: test.name.map(redact) } }),
  };
}
