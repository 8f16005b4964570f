import type { Key, TestRef, WireHeaders } from "../call/call.ts";

/** One call and its reply as it came. The file format is `codec.ts`; in memory both bodies are bytes. */
export interface Recording {
  readonly provider: string;
  /** The protocol's operation, e.g. "chat.completions"; "http" where none is known. */
  readonly operation: string;
  readonly model?: string;
  /** The key of its request under the rules of the project; the file is named by it. */
  readonly key: Key;
  /** Scheme, host, and port of the upstream, if the user set a custom address for the provider. */
  readonly origin?: string;
  readonly request: RecordedRequest;
  readonly reply: RecordedReply;
  /** ISO 8601, UTC. */
  readonly recordedAt: string;
  /** The test that first made the call. */
  readonly test?: TestRef;
  /** The other recorders' files that it was imported from, relative to the project with "/" between segments: its owners. */
  readonly cassettes?: readonly string[];
}

/** The request. `contentType` is present only if the body is not JSON, because it is needed to read it. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: Uint8Array;
  readonly contentType?: string;
  /**
   * The headers that are part of the key (see `listAllKeyHeaders`), mostly none. Absent if they are unknown: then the recording
   * answers calls with any headers, unless another recording has exactly these.
   */
  readonly headers?: WireHeaders;
  /**
   * Values in it that the machine of the test made up, such as a UUID or today's date. The key has their origins in their
   * places. Absent if there are none.
   */
  readonly values?: readonly GeneratedValue[];
}

/** A text in a request that the machine of the test made up, with its origin: `{ text: "0f8f…", origin: "uuid 1" }`. */
export interface GeneratedValue {
  readonly text: string;
  /** Where it came from, then its 1-based number among the values of that origin in the request, in the order in which they were made. */
  readonly origin: string;
}

/** The reply after content decoding, byte for byte. */
export interface RecordedReply {
  readonly status: number;
  /** The reason phrase, if it differs from the standard one for the status. */
  readonly statusText?: string;
  /** As the upstream sent it; absent where it sent none. */
  readonly contentType?: string;
  /** Further headers that clients read, each name once, as `keptHeaders` gives them; absent where there are none. */
  readonly headers?: WireHeaders;
  readonly body: Uint8Array;
  /** Milliseconds before each event of a stream, in order; played back only when asked for. */
  readonly waitsMs?: readonly number[];
  /**
   * Number of the client's requests before each event of a stream without an end, and before its end if the server ended
   * it. Absent for other replies.
   */
  readonly after?: readonly number[];
}

/** A recording's place: file names tell it, contents are not needed. */
export interface RecordingAddress {
  /** Path relative to the cassette folder: `calls/<provider>/<first 2 hex>/<key hex>[.<take>].json`. */
  readonly entry: string;
  readonly provider: string;
  readonly key: Key;
  /** From 1; the first take has no number in its name. */
  readonly take: number;
}

/** Response headers that no recording has: the server sets them itself, or they identify a client. */
export const NOT_KEPT =
  /^(?:content-(?:type|encoding)|transfer-encoding|connection|keep-alive|upgrade|trailer|date|set-cookie|x-tapedeck-.*)$/;
