import { decodeText, encodeUtf8, decodeUtf8 } from "../../base/wire/text.ts";
import { localize } from "../../base/localize.ts";
import type { Answer, Call } from "../../call/call.ts";
import type { ReplyLink } from "../../call/given-replies.ts";
import type { Exchange } from "../../match/read-request.ts";
import { isSharedId } from "../../match/origins/reply-ids.ts";
import type { LinkingRequest } from "../../match/origins/used-ids.ts";
import { replaceValues } from "../../match/origins/values.ts";
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

const REFUSED_IDS: ReadonlySet<number> = new Set([400, 404, 410, 422]);
const UNKNOWN = /not[ _]?found|no such|n.t exist|not exist|expired|unknown|deleted|invalid|could not find/i;
const ID = /[A-Za-z0-9][\w-]{5,255}/g;

/** Returns the id of a request that a provider's refusal calls unknown; undefined for another refusal. */
export function findUnknownId({ reply: { status, body } }: Answer, sent: LinkingRequest): string | undefined {
  if (!REFUSED_IDS.has(status) || !(body instanceof Uint8Array) || body.byteLength > REFUSAL_BYTES)
    return undefined;
  const text = decodeText(body);
  if (!UNKNOWN.test(text)) return undefined;
  const asked = sent.path + decodeText(sent.body);
  return (text.match(ID) ?? []).find((id) => /\d/.test(id) && /[A-Za-z]/.test(id) && asked.includes(id));
}

/** Returns the command that makes all calls of a test again. */
export const getRefreshCommand = ({ run: { recordCommand } }: Pick<Call, "run">): string =>
  recordCommand?.replace(/(?<=--mode )record/, "refresh") ??
  "npx tapedeck run --mode refresh -- <your test command>";

/** Says how to record a call again whose provider does not know an id. */
export function explainUnknownId(
  id: string,
  { call, provider }: Pick<Exchange, "call" | "provider">,
): string {
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
