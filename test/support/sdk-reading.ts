import type { Projection } from "../../src/core/protocol/base/protocol.ts";

/** The content of a reply that an official SDK and our projection both return, in the same form. */
export interface Reading {
  readonly messages: readonly ReadMessage[];
  readonly model: string | undefined;
  readonly finishReason: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export interface ReadMessage {
  readonly text: string;
  readonly thinking: string;
  /** Arguments as a value where they are JSON, because SDKs differ in what they parse. */
  readonly calls: readonly {
    readonly id: string | undefined;
    readonly name: string;
    readonly arguments: unknown;
  }[];
}

/** How a provider's official SDK is used with a `fetch` of ours. */
export interface Sdk {
  /** Sends a request body and reads the reply to its end, whole or streamed as the body asks. */
  read(fetch: typeof globalThis.fetch, asked: object): Promise<Reading>;
  /** The code that distinguishes failures in the provider's error shape, from the error that `read` rejected with; absent if the SDK keeps none. */
  codeOf?(error: unknown): unknown;
  statusOf(error: unknown): unknown;
}

export function readingOf(projection: Projection): Reading {
  const { messages, model, finishReason, usage } = projection;
  return {
    messages: messages.map(({ parts }) => ({
      text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
      thinking: parts.map((part) => (part.type === "thinking" ? part.text : "")).join(""),
      calls: parts.flatMap((part) =>
        part.type === "tool-call"
          ? [{ id: part.id, name: part.name, arguments: argumentsValue(part.arguments) }]
          : [],
      ),
    })),
    model,
    finishReason,
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
  };
}

export function argumentsValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A `fetch` that always returns the same reply and counts its requests. */
export function replyingFetch(reply: {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}): { readonly fetch: typeof globalThis.fetch; readonly count: () => number } {
  let count = 0;
  return {
    fetch: (input) => {
      // Before its first upload the OpenAI SDK asks for `data:,` to see what kind of `Response` comes back.
      if (input !== "data:,") count += 1;
      const { status, headers, body } = reply;
      return Promise.resolve(
        new Response(Buffer.from(body), { status, headers: headers.map(([name, value]) => [name, value]) }),
      );
    },
    count: () => count,
  };
}
