import { readFileSync } from "node:fs";
import { join } from "node:path";

type Fields = Readonly<Record<string, unknown>>;

/** An answer as a provider gives it: one object, or the events of a stream. */
export interface Answer {
  readonly whole?: Fields;
  readonly stream?: readonly Fields[];
  /** Whether a structured answer was asked for. */
  readonly output?: true;
  /** A status other than 200. */
  readonly status?: number;
}

type Answers = Readonly<Record<string, Answer>>;

/** The answers of `provider-answers.jsonl` (provider, title, answer) by provider, then by title. */
export const ANSWERS: Readonly<Record<string, Answers>> = answersIn("provider-answers.jsonl");

function answersIn(file: string): Readonly<Record<string, Answers>> {
  const lines = readFileSync(join(import.meta.dirname, file), "utf8")
    .trim()
    .split("\n");
  const found: Record<string, Record<string, Answer>> = {};
  for (const line of lines) {
    const [adapter, title, answer] = JSON.parse(line) as [adapter: string, title: string, answer: Answer];
    (found[adapter] ??= {})[title] = answer;
  }
  return found;
}

export const { "openai chat": CHAT = {}, anthropic: ANTHROPIC = {} } = ANSWERS;

/** An answer as it goes over the wire of a provider. */
export function wireOf(
  name: string,
  { whole, stream, status = 200 }: Answer,
): { readonly status: number; readonly contentType: string; readonly body: Uint8Array } {
  const lines = (stream ?? []).map((event) => {
    const text = JSON.stringify(event);
    if (name === "ollama") return `${text}\n`;
    return `${"type" in event ? `event: ${String(event["type"])}\n` : ""}data: ${text}\n\n`;
  });
  const body = stream === undefined ? JSON.stringify(whole) : lines.join("");
  const kind = name === "ollama" ? "application/x-ndjson" : "text/event-stream";
  return {
    status,
    contentType: stream === undefined ? "application/json" : kind,
    body: new TextEncoder().encode(body),
  };
}
