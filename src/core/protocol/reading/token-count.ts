import { composedJson } from "../composed.ts";
import { operationFrom, type Operation } from "../operation.ts";
import type { Protocol } from "../protocol.ts";
import { countIn } from "./lenient.ts";
import { replyMessage } from "./parts.ts";
import { replyReader, type ReplyReading } from "./reply.ts";
import { pickDefined } from "../../pick-defined.ts";
import { plural } from "../../plural.ts";

/** Reads a count of tokens, which is what was spent as well. */
export function countReader(name: string, failure?: ReplyReading["failure"]): Protocol["project"] {
  return replyReader({
    ...pickDefined({ failure }),
    whole(fields) {
      const inputTokens = countIn(fields[name]);
      if (inputTokens === undefined) return undefined;
      return { messages: [replyMessage(plural(inputTokens, "token"))], usage: { inputTokens } };
    },
  });
}

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
