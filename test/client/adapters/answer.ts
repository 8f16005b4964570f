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
