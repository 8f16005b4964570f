import { BY_ITS_NAME } from "../scanner.ts";
import { ASSIGNED, entropyOf, type Kind, isPlaceholder } from "./kind.ts";

/** What keys are of. */
const KEYS = [
  "api access private secret auth encryption signing master account storage",
  "service deploy session shared ssh app license subscription webhook",
].flatMap((names) => names.split(" "));

/** Names of what is kept secret, whoever gave it out: of variables, members, headers, parameters. */
const NAMES = [
  ..."secret password passwd passphrase pwd token credential authorization".split(" "),
  ...KEYS.flatMap((of) => ["key", "_key", "-key"].map((key) => of + key)),
];

const PASSWORD = /passw|passphrase|pwd|secret/i;
/** A place in a list, what was found where, and what counts words: tokens of another kind. */
const NO_SECRET =
  /(?:^|[_.-])(?:page|next|prev|continuation|sync|cursor|cancel(?:l?ation)?|stop|eos|bos|pad|unk|mask|sep|cls|end|start|special|resume|idempotency|public|count|max|min|total|prompt|completion|input|output|last|first|ice)[_.-]?(?:token|key|pwd)$|(?:[Pp]age|[Nn]ext|[Pp]rev|[Cc]ontinuation|[Ss]ync|[Cc]ursor|[Cc]ancellation)(?:Token|Key)$/;

const shape = new RegExp(
  // The rest of the name, and how the value is given to it.
  `(?:${NAMES.map((name) => name.replace("-", "[-]")).join("|")})(?:[_.-]?(?:key|value|string|base|base64|b64|id|\\d{1,2}))?s?${ASSIGNED}([\\w.=+/~!@#%^&*:$?-]{8,2048})(?![(\\[{\\w])`,
  "iy",
);

/**
 * What the name before it calls a secret, and what was made by chance rather than written: gitleaks' generic rule,
 * held to more where a name may be one of code.
 */
export const genericKind: Kind = {
  kind: BY_ITS_NAME,
  keywords: NAMES,
  shape,
  isWithinWords: true,
  isSecret(value, name) {
    if (isPlaceholder(value) || NO_SECRET.test(name)) return false;
    if (/^(?:https?|file|data|urn|arn|sha\d+):/i.test(value) || /^[./~]/.test(value)) return false;
    // Made by chance, most have a digit; where none is, capitals stand together as in no name of code.
    if (!/\d/.test(value) && !hasCapitalsWithin(value)) return false;
    const entropy = entropyOf(value);
    // NAME=value, as files of environments have it; words with a number behind them are no password there either.
    if (/^[A-Z][A-Z0-9_]*$/.test(name)) return entropy >= 2.75 && hasPartsOfPassword(value);
    if (PASSWORD.test(name)) return entropy >= 2.9 && hasPartsOfPassword(value) && !isCode(value);
    return (
      value.length >= 16 && entropy >= 3.5 && /[a-z]/i.test(value) && /\d.*\d/.test(value) && !isCode(value)
    );
  },
};

/** Whether two capitals stand together between small letters. One expression for it would try again from every letter. */
function hasCapitalsWithin(value: string): boolean {
  const from = value.search(/[a-z]/);
  const to = value.search(/[a-z][^a-z]*$/);
  return from < to && /[A-Z]{2}/.test(value.slice(from, to));
}

/** Two of small letters, capitals, digits and signs; three where it is short. */
function hasPartsOfPassword(value: string): boolean {
  const parts = [/[a-z]/, /[A-Z]/, /\d/, /[^\w]/].filter((part) => part.test(value)).length;
  return parts >= (value.length < 12 ? 3 : 2);
}

/** A path of members, a date, a number with its unit, an address of a file. */
function isCode(value: string): boolean {
  return (
    /^[a-z_]\w*(?:\.[a-z_]\w*)+$/i.test(value) ||
    /^[a-z]+(?:[_-][a-z]+)*[_-]?\d{1,4}$/i.test(value) ||
    /^\d[\d.,:%/-]*[a-z]{0,3}$/i.test(value) ||
    /^\w+(?:\/[\w.-]+)+\.\w{1,4}$/.test(value)
  );
}
