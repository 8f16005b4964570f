import { explain, type TapedeckError } from "../errors.ts";
import type { WireReply } from "../call.ts";
import { bytesOf } from "../wire/text.ts";

/** A failure as a JSON reply; `body` puts its code and its text (message and hint) into a provider's shape. */
export function refusal(error: TapedeckError, body: (code: string, text: string) => object): WireReply {
  return {
    status: error.status,
    headers: [["content-type", "application/json"]],
    body: bytesOf(JSON.stringify(body(error.code, explain(error)))),
  };
}

/** A status that clients do not try again: 424 (failed dependency) where the failure's own says that the server is at fault. */
export function unretriedStatus({ status }: TapedeckError): number {
  return status >= 500 ? 424 : status;
}
