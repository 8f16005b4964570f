import { anthropicBatches } from "./batches/protocol.ts";
import { anthropicCountTokens } from "./count-tokens/protocol.ts";
import { anthropicMessages } from "./messages/protocol.ts";
import type { Dialect } from "../protocol.ts";
import { refusal } from "../refusal.ts";
import { sharedResources } from "../shared-resources.ts";

/** Anthropic. Source of the error shape: docs.anthropic.com/en/api/errors, 2026-11. */
export const anthropicDialect: Dialect = {
  name: "anthropic",
  operations: [anthropicMessages, anthropicCountTokens, ...anthropicBatches, ...sharedResources],
  refuse: (error) => refusal(error, (code, message) => ({ type: "error", error: { type: code, message } })),
};
