export type Fields = Readonly<Record<string, unknown>>;

/** An answer as a provider gives it: one object, or the events of a stream. */
export interface Answer {
  readonly whole?: Fields;
  readonly stream?: readonly Fields[];
  /** Whether a structured answer was asked for. */
  readonly output?: true;
  /** A status other than 200. */
  readonly status?: number;
}

export const calling = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };

/** The tool whose input is the structured answer. */
export const SCHEMA_TOOL = "generate_structured_output";

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
