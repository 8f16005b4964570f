import { credentialClass } from "./credential-names.ts";
import { isExpression } from "./words.ts";

/** In front of a name: it is declared or assigned in code, where a string has quotes. */
const DECLARES =
  /(?:^|[^\w.-]|\\[nrt])(?:const|let|var|val|final|return|await|class|interface|type|import)\s+$/;
const MEMBER = /^(?:this|self|exports|module\.exports)\./;
/** `name(` and `object.member`, also `object?.member`, without digits in them. */
const CALL = /^[A-Za-z_$][A-Za-z_$.?#]{4,80}\(/;
const PATH = /^[A-Za-z_$]+(?:\??\.[A-Za-z_$]{2,40})+(?![\w@])/;
const CALL_WITHOUT_ARGUMENTS = /^[A-Za-z_].*\(\)?[;,.]*$/;
const INDEXED = /^[A-Za-z_.]{2,40}\[/;
/** The name of a variable, or of a type such as `Uint8Array`. */
const IDENTIFIER = /^[A-Za-z_$]+$|^[A-Z][a-z]+\d{1,2}[A-Z][a-z]+$/;

/** A value without quotes, and the text around it. */
export interface BareValue {
  readonly value: string;
  /** The value with the signs that follow it without a space. */
  readonly written: string;
  /** What is in front of the name, at least the beginning of its line. */
  readonly before: string;
  readonly name: string;
}

/** Whether a value without quotes is an expression of code: a call, a member, a type, another variable. */
export function isCode({ value, written, before, name }: BareValue): boolean {
  if (MEMBER.test(name) || DECLARES.test(before)) return true;
  if ([CALL, PATH, CALL_WITHOUT_ARGUMENTS, INDEXED].some((shape) => shape.test(written))) return true;
  if (IDENTIFIER.test(value) && (written === `${value},` || repeats(value, name))) return true;
  const [called = ""] = /^[\w.#$?]{3,80}(?=[([{])/.exec(written) ?? [];
  return isExpression(called) || isExpression(value);
}

const lettersOf = (text: string): string => text.replaceAll(/[^A-Za-z\d]/g, "").toLowerCase();

/** Whether a value consists of letters that its name has as well, e.g. `TOKEN_EXPIRED = "token-expired"`. */
export function repeats(value: string, name: string): boolean {
  return !/\d/.test(value) && lettersOf(name).includes(lettersOf(value));
}

/** The name of a constant or a variable: `access_token`, `RESOURCE_EXHAUSTED`, `settings.apiKey`. */
export function isName(value: string): boolean {
  if (/^(?:[A-Z]+\d{0,2}(?:_[A-Z]+\d{0,2})+|[a-z]+(?:[_-][a-z]+){2,})$/.test(value)) return true;
  const isPath = /^[A-Za-z_$]\w*(?:\??\.[A-Za-z_$]\w*)+$/.test(value);
  return (isPath || /^[A-Za-z]+(?:[_.-][A-Za-z]+)+$/.test(value)) && credentialClass(value) !== undefined;
}
