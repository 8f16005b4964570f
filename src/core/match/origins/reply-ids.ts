import type { Call, WireHeaders } from "../../call/call.ts";
import type { GivenReplies, GivenReply } from "../../call/given-replies.ts";
import { getChainName } from "../../cassette/address.ts";
import { copyText, decodeText } from "../../base/wire/text.ts";
import { getTestScope } from "../../call/test-names.ts";
import type { TokenTable } from "./find-values.ts";
import { findUsedIds } from "./used-ids.ts";
import { getPathEnd, readReplyId } from "./values.ts";

/** An id that a reply gave out. */
export interface ReplyId {
  readonly text: string;
  /** Its kind, and its 1-based number among the ids of that kind in the reply: "resp 1", "call 2". */
  readonly label: string;
  /** Whether it names what the reply describes: it is the value of an `id` or a `name`. */
  readonly isOwn: boolean;
}

/** Longer replies are searched at their beginning. Bytes. */
const MAX_SEARCHED = 524_288;
/** A reply that lists more gives out the first ones. */
const MAX_IDS = 512;

interface IdSource {
  readonly body: Uint8Array;
  readonly headers?: WireHeaders | undefined;
}

/**
 * Finds the ids that a reply gives out: texts of its JSON or its events that look like ids, by value and not by the names of
 * their members. A path or a URL ends in its id: "files/abc123". The labels do not depend on the values, so the same ids
 * have them when the call is recorded again.
 */
export function findReplyIds({ body, headers = [] }: IdSource): readonly ReplyId[] {
  const text = decodeText(body.byteLength > MAX_SEARCHED ? body.subarray(0, MAX_SEARCHED) : body);
  const found = new Map<string, ReplyId>(listUploadIds(headers).map((id) => [id.text, id]));
  const numbers = new Map<string, number>();
  for (const match of text.matchAll(QUOTED)) {
    const [, name = "", value = ""] = match;
    if (NO_IDS.test(name)) continue;
    const id = idIn(value, NAMED_ID.test(name));
    if (id === undefined || found.has(id)) continue;
    const kind = readKind(id, name);
    const number = (numbers.get(kind) ?? 0) + 1;
    numbers.set(kind, number);
    const isOwn = name === "id" || name === "name";
    found.set(id, { text: copyText(id), label: `${kind} ${number}`, isOwn });
    if (found.size >= MAX_IDS) break;
  }
  return [...found.values()];
}

/** Lists the ids in the address at which an upload goes on, which only headers have. Source: js-genai 3.3 `_uploader.ts`. */
const listUploadIds = (headers: WireHeaders): readonly ReplyId[] =>
  headers
    .filter(([name]) => name === "x-goog-upload-url" || name === "location")
    .flatMap(([, address]) => [...new URLSearchParams(address.split("?")[1])])
    .filter(([, text]) => mayBeId(text))
    .map(([name, text]) => ({ text, label: `${name} 1`, isOwn: true }));

/** A text without spaces and escapes, with the name of its member if it has one. */
const QUOTED = /(?:"([\w$-]{1,64})"\s{0,8}:\s{0,8})?"([\w./:@+%~=?&-]{6,512})"/g;

/** Members whose values look like ids and are none. */
const NO_IDS =
  /^(?:model|model_?version|system_fingerprint|object|created(?:_at|At)?|size|provider|format|signature|thoughtSignature|encrypted_content|obfuscation|data|bytes|b64_json|sha256|etag)$/;

/** Members that hold ids, whatever these look like. */
const NAMED_ID = /^(?:id|name)$|_ids?$|I[dD]s?$|Arn$/;

/** Returns the id in a text: the text, or the end of a path, an ARN, or a URL; undefined if it looks like none. */
function idIn(value: string, isNamed: boolean): string | undefined {
  const id = getPathEnd(value.replace(/[?#].*$/, ""));
  return (isNamed && mayBeShortId(id)) || mayBeId(id) ? id : undefined;
}

/** Whether a token may be an id: letters and digits mixed, and neither a date, a version, nor a model. */
function mayBeId(token: string): boolean {
  if (token.length < 8 || !/\d/.test(token) || !/[A-Za-z]/.test(token)) return false;
  return ID.test(token) && /[A-Za-z0-9]{6}/.test(token) && !DATED.test(token);
}

const mayBeShortId = (token: string): boolean =>
  token.length >= 5 && /\d/.test(token) && ID.test(token) && !DATED.test(token);

const ID = /^[A-Za-z0-9][\w-]{0,254}$/;
/** A date, as models and API versions have it. */
const DATED = /(?:^|[-_])(?:19|20)\d\d[-_]?\d\d[-_]?\d\d(?:$|[-_T])/;

/** The prefix of an id ("resp" of "resp_68a1"), or the name of its member. */
function readKind(id: string, name: string): string {
  const [, prefix] = /^([A-Za-z]{2,16})[-_]/.exec(id) ?? [];
  return prefix ?? (name === "" ? "id" : name);
}

/** An id, and the recording that gave it out. */
interface Giver {
  readonly name: string;
  readonly label: string;
  readonly scope: string;
  readonly order: number;
  readonly isOwn: boolean;
  /** Whether another recording gave out the same id, so that it links to neither. */
  isShared: boolean;
}

/** The ids that the replies of a run gave out. Replies are searched when a request may name an id. */
class RunIds {
  readonly #givers = new Map<string, Giver[]>();
  /** Names of the recordings that last added to a conversation, by its origin and the test. Its id can change. */
  readonly #last = new Map<string, string>();
  #searched = 0;

  search({ list, total }: GivenReplies): this {
    const from = list.length - (total - this.#searched);
    for (const [at, reply] of list.entries()) if (at >= from) this.#add(reply, total - list.length + at);
    this.#searched = total;
    return this;
  }

  /** Returns the giver of an id in the replies of a test, or else in those of other tests. */
  find(id: string, scope: string): Giver | undefined {
    const givers = this.#givers.get(id);
    if (givers === undefined) return undefined;
    const own = givers.find((giver) => giver.scope === scope);
    const [first, ...others] = own === undefined ? givers : [own];
    const isShared = first?.isShared !== false || others.some(({ name }) => name !== first.name);
    return isShared ? undefined : first;
  }

  /** Returns the origin of a giver's id: "conv 1 of 3f9a2c41d07b after 8b21c0d9e4f1". */
  origin({ label, name }: Giver, scope: string): string {
    const origin = `${label} of ${name}`;
    const last = this.#last.get(`${origin} ${scope}`);
    return last === undefined ? origin : `${origin} after ${last}`;
  }

  isShared(id: string, scope: string): boolean {
    return this.#givers.has(id) && this.find(id, scope) === undefined;
  }

  #add({ entry, method, path, request, reply, headers, scope, links = [] }: GivenReply, order: number): void {
    const name = getChainName(entry);
    const { continued } = findUsedIds({ method, path, body: request }, links);
    for (const link of links) {
      const id = continued.has(link.text) ? readReplyId(link) : undefined;
      if (id !== undefined) this.#last.set(`${id.label} of ${id.name} ${scope}`, name);
    }
    const requestText = path + decodeText(request);
    for (const { text, label, isOwn } of findReplyIds({ body: reply, headers })) {
      // A reply repeats the ids of its request.
      if (requestText.includes(text)) continue;
      const givers = this.#givers.get(text) ?? [];
      const known = givers.find((giver) => giver.scope === scope);
      if (known === undefined)
        this.#givers.set(text, [...givers, { name, label, scope, order, isOwn, isShared: false }]);
      else if (isOwn && known.isOwn && method !== "GET" && known.name !== name) known.isShared = true;
    }
  }
}

const known = new WeakMap<GivenReplies, RunIds>();

function idsIn(replies: GivenReplies): RunIds {
  const ids = known.get(replies) ?? new RunIds();
  known.set(replies, ids);
  return ids.search(replies);
}

const scopeOfCall = ({ test }: Pick<Call, "test">): string => (test === undefined ? "" : getTestScope(test));

/** Whether several recordings gave out an id, so that it links to none of them. */
export function isSharedId(call: Pick<Call, "run" | "test">, id: string): boolean {
  const { replies } = call.run;
  return replies !== undefined && idsIn(replies).isShared(id, scopeOfCall(call));
}

/** Returns the ids that a call can name: those of earlier replies of its run. */
export function createIdTable(call: Pick<Call, "run" | "test">): TokenTable | undefined {
  const { replies } = call.run;
  if (replies === undefined) return undefined;
  const ids = idsIn(replies);
  const scope = scopeOfCall(call);
  return {
    find(token) {
      const giver = ids.find(token, scope);
      return giver && { kind: ids.origin(giver, scope), order: giver.order };
    },
  };
}
