import { anthropicMessages } from "../messages/protocol.ts";
import type { Protocol } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { composeTokenCount, projectTokenCount } from "../../reading/token-count.ts";

/** Counts the tokens of a message before it is sent. Source: docs.anthropic.com/en/api/messages-count-tokens, 2026-11. */
export const anthropicCountTokens: Protocol = {
  operation: "messages.count_tokens",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/v1/messages/count_tokens"),
  facts: (request) => anthropicMessages.facts(request),
  conversation: (request) => anthropicMessages.conversation(request),
  project: projectTokenCount,
  compose: () => composeTokenCount(),
  isWhole: isWholeJson,
};
