import { decodeText, encodeUtf8, decodeUtf8, isBytes } from "../../base/wire/text.ts";
import { localize } from "../../base/localize.ts";
import type { Answer } from "../../call/call.ts";
import type { ReplyLink } from "../../call/given-replies.ts";
import { getChainName } from "../../cassette/address.ts";
import type { Recording } from "../../cassette/recording.ts";
import type { Exchange } from "../../match/read-request.ts";
import { findReplyIds, isSharedId } from "../../match/origins/reply-ids.ts";
import { listIdsOfRequest, type LinkingRequest } from "../../match/origins/used-ids.ts";
import { replaceValues } from "../../match/origins/values.ts";
import { getRefreshCommand } from "../../view/miss.ts";
import { REFUSAL_BYTES } from "./judge.ts";

/** Replaces the ids of a request, in its path and its body. A body that is not text has none. */
export function replaceIds(
  request: Pick<LinkingRequest, "path" | "body">,
  links: readonly ReplyLink[],
  idFor: (link: ReplyLink) => string,
): Pick<LinkingRequest, "path" | "body"> {
  const text = decodeUtf8(request.body);
  const body = text === undefined ? request.body : encodeUtf8(replaceValues(text, links, idFor));
  return { path: replaceValues(request.path, links, idFor), body };
}

/** The ids that a reply gave out, by their labels. */
export type IdsByLabel = ReadonlyMap<string, string>;

export const mapIds = (reply: Pick<Recording["reply"], "body" | "headers">): IdsByLabel =>
  new Map(findReplyIds(reply).map(({ label, text }) => [label, text]));

/** Returns the ids of a reply that the provider gave in this run; undefined if there is none. */
export function findFreshIds(
  { call, provider }: Pick<Exchange, "call" | "provider">,
  name: string,
): IdsByLabel | undefined {
  const given = call.run.replies?.list.findLast(
    (one) => one.isFresh && one.provider === provider.name && getChainName(one.entry) === name,
  );
  return given && mapIds({ body: given.reply, headers: given.headers ?? [] });
}

/** Google answers 403 because it does not tell a missing file from another project's. */
const REFUSED_IDS: ReadonlySet<number> = new Set([400, 403, 404, 410, 422]);
const UNKNOWN = /not[ _]?found|no such|n.t exist|not exist|expired|unknown|deleted|could not find/i;
/** A refusal that names an id can also call it invalid. */
const INVALID = /invalid/i;

/**
 * Returns the id of a request that a provider's refusal calls unknown: the one that it names, or else the only one that the
 * request has. Undefined for other refusals.
 */
export function findUnknownId({ reply: { status, body } }: Answer, sent: LinkingRequest): string | undefined {
  if (!REFUSED_IDS.has(status) || !isBytes(body) || body.byteLength > REFUSAL_BYTES) return undefined;
  const text = decodeText(body);
  if (!UNKNOWN.test(text) && !INVALID.test(text)) return undefined;
  const ids = listIdsOfRequest(sent);
  const named = ids.find((id) => text.includes(id));
  const isPlain = UNKNOWN.test(text) && !/\bmodels?\b/i.test(text);
  return named ?? (isPlain && ids.length === 1 ? ids[0] : undefined);
}

/** Returns how to record a call again whose provider does not know an id; undefined for other answers. */
export function explainUnknownId(
  answer: Answer,
  { call, sent, provider }: Pick<Exchange, "call" | "sent" | "provider">,
): string | undefined {
  const session = sent.headers.find(([name]) => name === "mcp-session-id")?.[1];
  // A server of MCP answers 404 if it does not know the session, and does not name it.
  const isSession = answer.reply.status === 404 && session !== undefined;
  const id = isSession ? session : findUnknownId(answer, sent);
  if (id === undefined) return undefined;
  const command = getRefreshCommand(call);
  return isSharedId(call, id)
    ? localize(
        "Two replies of this run gave out {0}, so it links to neither of their calls. Record the whole test again: {1}",
        id,
        command,
      )
    : localize(
        "{0} does not know {1}. Record its chain from the start, with the call that gave it out: {2}",
        provider.name,
        id,
        command,
      );
}
