/** Types shared by the parts of the practice upstream. */

export type RequestBody = Readonly<Record<string, unknown>>;

/** A failure without the error format of a provider. */
export interface Failure {
  readonly status: number;
  readonly kind:
    | "invalid_request"
    | "authentication"
    | "not_found"
    | "too_large"
    | "rate_limit"
    | "overloaded"
    | "server";
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** How one provider's operation looks on the wire. */
export interface Dialect {
  readonly streamType: string;
  headers(): Readonly<Record<string, string>>;
  /** Returns the fault of an invalid request, in the provider's words where clients depend on them. */
  fault(body: RequestBody): Failure | undefined;
  reply(body: RequestBody): object;
  /** The events of a stream in order, each with its framing. */
  events(body: RequestBody): Iterable<string>;
  failure(failure: Failure): object;
}

export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: unknown;
}

/** The parts of a request that determine the answer. */
export interface Question {
  readonly system: string;
  /** The last text of the user. */
  readonly user: string;
  /** Results of tools since then; empty if none was called. */
  readonly results: readonly string[];
  readonly tools: readonly ToolOffer[];
  /** The only tool that may be called, or whether one must be. */
  readonly choice: "auto" | "none" | "required" | { readonly name: string };
  /** JSON schema that the text must fit; `{}` for any JSON object. */
  readonly schema?: unknown;
  readonly maxTokens: number;
}

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** The text was cut at the limit. */
  readonly cut: boolean;
}
