/** A kind of secret by its looks: one row of the tables in this folder. */
export interface ShapedKind {
  /** A noun, e.g. "GitHub token". Several rows may have one. */
  readonly kind: string;
  /**
   * In lower case, of ASCII, and of three characters or more. One of them is in whatever holds the secret. Nothing else
   * of the row is tried where none is.
   */
  readonly keywords: readonly string[];
  /**
   * Sticky; begins with the keyword, or `before` at most that many characters before it. Its group is the secret, all
   * of it where it has none. Every repetition in it has an end, so that no text takes long.
   */
  readonly shape: RegExp;
  readonly before?: number;
  /** Minimum bits per character of the value (Shannon). Words and placeholders have less than random values. */
  readonly entropy?: number;
  /** The last word on a value: `name` is the name of the variable or member before it, if there is one. */
  readonly isSecret?: (value: string, name: string) => boolean;
  /** Whether the value may go on or begin in the middle of a word; a key does not. */
  readonly isWithinWords?: boolean;
}

/** A kind that code reads, because no expression describes it. */
export interface ReadKind extends Pick<ShapedKind, "kind" | "keywords"> {
  /** Reads at a keyword: where that ends, and the secret if there is one. */
  readonly read: (text: string, at: number) => { readonly end: number; readonly value?: string } | undefined;
}

export type Kind = ShapedKind | ReadKind;

/** The text between a name and its value: in code, JSON, YAML, headers, XML, and JSON within strings. */
export const ASSIGNED = String.raw`["'\x60\]\\]{0,4}\s{0,4}(?:=>|:=|\?=|\|\||=|:|>|,)\s{0,4}["'\x60\\]{0,4}(?:(?:bearer|token)\s)?`;

/** In characters. Only the beginning of a longer text is measured. */
const MEASURED = 256;

/** Bits per character: 0 if all are the same. */
export function computeEntropy(text: string): number {
  const counts = new Map<string, number>();
  const length = Math.min(text.length, MEASURED);
  for (const char of text.slice(0, MEASURED)) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / length) * Math.log2(count / length);
  return bits;
}

/** Where a value is, in place of the value: a variable, a template's field, an expression of code. */
const REFERENCE =
  /^(?:\$\{|\$\([\w./-]*\)?$|\$[A-Z_]+$|\$[a-z_]+$|\{\{|\{[\w.!:]+\}?$|<[^>]*>?$|%\(\w+\)|%[A-Z_]+%$|%s$|\*+$|process\.env|os\.(?:environ|getenv)|env\.|secrets\.|vars?\.|(?:null|undefined|void)\b|![01]\b)/;
const WORDS_OF_EXAMPLES =
  /example|placeholder|change_?me|redacted|dummy|\*{4}|\.{3}|…|goes[-_]?here|not[-_]?a[-_]?real|123456789|abcdefgh/i;
/** Capitals distinguish these words from random letters. */
const INSERTED = /(?:^|[^A-Za-z0-9])(?:your|Your|YOUR|insert|INSERT)(?![a-z0-9])|xxxx|XXXX/;
const NAMES_OF_VALUES =
  /^(?:my|the|some|a|test|fake|mock|sample|foo|bar|user|pass|passwd|password|passw0rd|pwd|pw|secret|token|key|api[-_]?key|none|null|true|false|undefined|string|admin|root|guest|postgres|hunter2)[-_]?(?:password|secret|token|key|api[-_]?key|value|here|\d{0,4})$/i;

const PASSWORD_IN_EXAMPLES = /^[a-z]{0,6}[-_]?p[a@][s$]{2}(?:w[o0]?r?d)?\d{0,4}$/i;

/** Whether a value is only a placeholder: words of documentation, names of variables, one repeated character. */
export function isPlaceholder(value: string): boolean {
  return (
    [REFERENCE, WORDS_OF_EXAMPLES, INSERTED, NAMES_OF_VALUES, PASSWORD_IN_EXAMPLES].some((shape) =>
      shape.test(value),
    ) || new Set(value).size < 4
  );
}
