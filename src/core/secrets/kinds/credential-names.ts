/** The kind of credential that a name indicates. */
export type CredentialClass = "password" | "key";

const PASSWORD = /(?:passw(?:or)?d|passwort|passphrase|passcode|passwrd|pwd|secret)$/;
/** Names that count only as whole words, because they are also parts of unrelated words ("bypass"). */
const PASSWORD_WORDS = new Set(["pass", "pw", "psw"]);
const KEY =
  /(?:token|credential|authorization|(?:api|auth|access|secret|private|encryption|signing|master|account)key)$/;
const KEY_WORDS = new Set(["auth", "jwt", "pat"]);

/** Words before "key" that make it a credential. */
const KEYS_OF = new Set(
  (
    "api access private secret auth encryption signing signature master account storage service deploy deployment session " +
    "shared ssh app application license licence subscription webhook client consumer customer admin write read server team " +
    "developer dev rest sdk functions function bot root hmac jwt aes crypto cipher integration ingest ingestion management " +
    "organization org project production prod live test security token oauth gateway"
  ).split(" "),
);
/** Words after the noun of a credential that do not change its meaning. */
const QUALIFIERS = new Set(
  (
    "value string base base64 b64 hex raw plain plaintext text env prod production dev development test testing staging live " +
    "sandbox default old new current previous primary secondary main backup confirm confirmation again repeat header override"
  ).split(" "),
);
/** Words that make a token or key harmless: page cursors, stop tokens, public keys, token counts, and database keys. */
const NO_CREDENTIALS = new Set(
  (
    "page next prev previous continuation sync cursor cancel cancellation cancelation stop eos bos pad unk mask sep cls end " +
    "start special resume idempotency public count max min total prompt completion input output last first ice publishable " +
    "cache sort primary foreign partition object bucket row column hash lookup"
  ).split(" "),
);
/** Last words of names that describe a credential without holding it. */
const DESCRIBING =
  /^(?:ids?|names?|types?|kinds?|counts?|hints?|urls?|uris?|paths?|files?|dirs?|fields?|prefix|suffix|length|len|size|limit|budget|usage|status|state|expir\w*|ttl|at|by|alias|label|title|description|policy|arn|version|algorithm|alg|format|enabled|required|endpoint|host|port|env|source|provider|scope|scopes|issuer|audience|max|min|rate|window|timeout|location|index|ref|user|username|email|store|manager|service)$/;

const wordsOf = (name: string): readonly string[] =>
  name
    .split(/[\s_.-]+|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase().replace(/(?<=[a-z])\d{1,2}$/, ""));

/** Whether a name describes a property of a credential, such as its id, and not the credential. */
export const isAboutCredential = (name: string): boolean => DESCRIBING.test(wordsOf(name).at(-1) ?? "");

/** Returns the kind of credential that a variable, member, header, parameter, or option with this name holds. */
export function classifyCredentialName(name: string): CredentialClass | undefined {
  const words = [...wordsOf(name)];
  const isVariable = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name);
  while (words.length > 1 && /^\d{0,2}$/.test(words.at(-1) ?? "")) words.pop();
  while (words.length > 1 && QUALIFIERS.has(words.at(-1) ?? "")) words.pop();
  const found = classOfLast(words, isVariable);
  if (found !== undefined || !isVariable || DESCRIBING.test(words.at(-1) ?? "")) return found;
  // API_KEY_OPENAI, PASSWORD_OF_CI
  for (let end = words.length - 1; end > 0; end -= 1) {
    const within = classOfLast(words.slice(0, end), false);
    if (within !== undefined) return within;
  }
  return undefined;
}

function classOfLast(words: readonly string[], isVariable: boolean): CredentialClass | undefined {
  const last = words.at(-1)?.replace(/(?<=[a-z]{3})s$/, "") ?? "";
  const before = words.at(-2) ?? "";
  // AWS's clients add a `clientRequestToken`, so that a repeated request is made once. Gemini's replies have a `turnToken`.
  if (NO_CREDENTIALS.has(before) || /\b(?:client request|turn) token$/.test(words.join(" ")))
    return undefined;
  if (PASSWORD.test(last) || PASSWORD_WORDS.has(words.at(-1) ?? "")) return "password";
  if (KEY.test(last) || KEY_WORDS.has(last)) return "key";
  return last === "key" && (KEYS_OF.has(before) || (isVariable && before !== "")) ? "key" : undefined;
}
