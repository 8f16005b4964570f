/** An id in a request that an earlier reply gave out: `{ text: "resp_68a1", origin: "resp 1 of 3f9a2c41d07b" }`. */
export interface ReplyLink {
  readonly text: string;
  /** The kind of the id, its number in the reply, and the name of the recording. */
  readonly origin: string;
}

/** A recorded reply that a run got, and its request without headers. */
export interface GivenReply {
  readonly entry: string;
  readonly provider: string;
  readonly method: string;
  readonly path: string;
  readonly request: Uint8Array;
  readonly reply: Uint8Array;
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  /** The test that got it; "" if it is unknown. */
  readonly scope: string;
  /** Ids of earlier replies in the request; absent if there are none. */
  readonly links?: readonly ReplyLink[] | undefined;
  /** Whether the provider gave it in this run, so that it knows the ids. Otherwise, it was replayed. */
  isFresh: boolean;
}

/** The last replies of a run, in the order in which it got them. */
export interface GivenReplies {
  readonly list: readonly GivenReply[];
  /** Total number of replies, including those that were dropped. */
  readonly total: number;
}
