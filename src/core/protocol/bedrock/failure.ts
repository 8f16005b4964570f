import { fieldsOf, jsonIn, textIn, type Fields } from "../reading/lenient.ts";
import type { Message } from "../protocol.ts";
import { failureMessage } from "../reading/reply.ts";

/** What went wrong inside a stream. */
export function streamFailure({ type, data }: { readonly type: string; readonly data: string }): Message {
  const fields = fieldsOf(jsonIn(data));
  return failureMessage({ type, message: textIn(fields["message"]) ?? textIn(fields["Message"]) ?? data });
}

/** The failure that a whole reply is; undefined where it is none. */
export function wholeFailure(fields: Fields, status: number): Message | undefined {
  const message = textIn(fields["message"]) ?? textIn(fields["Message"]);
  const type = textIn(fields["__type"]);
  const failed = status >= 400 || type !== undefined;
  return failed && message !== undefined ? failureMessage({ ...(type && { type }), message }) : undefined;
}
