import { bedrockConverse, bedrockConverseStream } from "./converse/protocol.ts";
import { bedrockCountTokens } from "./count-tokens/protocol.ts";
import { bedrockInvoke, bedrockInvokeStream } from "./invoke/protocol.ts";
import { compatibleOperations } from "../openai/compatible.ts";
import type { Dialect } from "../protocol.ts";
import { refusal, unretriedStatus } from "../refusal.ts";

/**
 * The AWS clients take the name of an error from `__type`, and send again what failed with 500, 502, 503 or 504.
 * Sources: smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization and
 * docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, 2026-11.
 */
export const bedrockDialect: Dialect = {
  name: "bedrock",
  operations: [
    bedrockConverse,
    bedrockConverseStream,
    bedrockInvoke,
    bedrockInvokeStream,
    bedrockCountTokens,
    ...compatibleOperations,
  ],
  refuse: (error) => ({
    ...refusal(error, (code, message) => ({ __type: code, message })),
    status: unretriedStatus(error),
  }),
};
