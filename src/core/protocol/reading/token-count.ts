import { composedJson } from "../composed.ts";
import { operationFrom, type Operation } from "../operation.ts";
import type { Protocol } from "../protocol.ts";
import { countIn } from "./lenient.ts";
import { replyMessage } from "./parts.ts";
import { replyReader } from "./reply.ts";
import { plural } from "../../plural.ts";

/** The operation that counts the tokens of what another would send: `{"input_tokens": 21}`. */
export function tokenCount<Body>(
  of: Operation<Body>,
  { operation, path, sample }: { readonly operation: string; readonly path: string; readonly sample: object },
): Protocol {
  return operationFrom({
    ...of,
    operation,
    path,
    project: replyReader({
      whole(fields) {
        const count = countIn(fields["input_tokens"]);
        return count === undefined ? undefined : { messages: [replyMessage(plural(count, "input token"))] };
      },
    }),
    stream: undefined,
    compose: () => composedJson(sample),
    isWhole: undefined,
  });
}
