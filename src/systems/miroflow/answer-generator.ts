import type { CreateMessageOptions, MiroClient, ProcessedAnswer } from "./client.ts";
import type { MiroToolCall } from "./parsing.ts";

/** A failure that a provider returns instead of a response. */
export class ErrorBox {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** A response with the messages to report about it. */
export class ResponseBox {
  readonly response: unknown;
  readonly warning: string | undefined;
  constructor(response: unknown, extra: { readonly warning_msg?: string } = {}) {
    this.response = response;
    this.warning = extra.warning_msg;
  }
}

export interface Turn extends ProcessedAnswer {
  /** Null if the call failed and can be tried again. */
  readonly toolCalls: readonly MiroToolCall[] | null;
}

/** Requests and reads an answer. A failed call leaves the conversation unchanged. `show` receives the text for the user. */
export async function handleLlmCall(
  client: MiroClient,
  options: CreateMessageOptions,
  show: (message: string) => void = () => undefined,
): Promise<Turn> {
  const created = await client.createMessage(options);
  let { response } = created;
  if (response instanceof ErrorBox) {
    show(response.message);
    response = null;
  }
  if (response instanceof ResponseBox) {
    if (response.warning !== undefined) show(response.warning);
    response = response.response;
  }
  if (response === null || response === undefined) {
    return { text: "", shouldBreak: false, toolCalls: null, messageHistory: options.messageHistory };
  }
  const { text, shouldBreak, messageHistory } = client.processLlmResponse(response, created.messageHistory);
  return { text, shouldBreak, toolCalls: client.extractToolCallsInfo(response, text), messageHistory };
}
