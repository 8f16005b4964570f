import { isWholeJson } from "../../reading/reply.ts";
import type { Protocol } from "../../protocol.ts";
import { composeTokenCount, projectTokenCount } from "../../reading/token-count.ts";
import { projectResponse } from "./project.ts";
import { openaiResponses } from "./protocol.ts";
import { isWholeResponse } from "./status.ts";
import { composeResponse } from "./compose.ts";

const CANCEL = /\/responses\/([^/]+)\/cancel$/;

/** Ends a response in the background. Source: platform.openai.com/docs/api-reference/responses/cancel, 2026-11. */
const cancel: Protocol = {
  operation: "responses.cancel",
  accepts: (method, pathname) => method === "POST" && CANCEL.test(pathname),
  facts: ({ path }) => ({ streaming: false, label: `cancel response ${CANCEL.exec(path)?.[1] ?? ""}` }),
  conversation: () => ({ messages: [], settings: [] }),
  project: projectResponse,
  compose: (draft, { path }) =>
    composeResponse(draft, { model: "", stream: false, background: true, id: CANCEL.exec(path)?.[1] ?? "" }),
  isWhole: isWholeResponse,
};

/** Counts the tokens of what would be sent. Source: …/api-reference/responses/input-tokens, 2026-11. */
const countTokens: Protocol = {
  operation: "responses.input_tokens",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/responses/input_tokens"),
  facts: (request) => openaiResponses.facts(request),
  conversation: (request) => openaiResponses.conversation(request),
  project: projectTokenCount,
  compose: () => composeTokenCount("response.input_tokens"),
  isWhole: isWholeJson,
};

/** Makes a long conversation short. Source: …/api-reference/responses/compact, 2026-11. */
const compact: Protocol = {
  operation: "responses.compact",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/responses/compact"),
  facts: (request) => openaiResponses.facts(request),
  conversation: (request) => openaiResponses.conversation(request),
  project: projectResponse,
  compose: (draft) => composeResponse(draft, { model: "", stream: false, background: false }),
  isWhole: isWholeJson,
};

export const openaiResponsesRelated: readonly Protocol[] = [cancel, countTokens, compact];
