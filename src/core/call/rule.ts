/** The calls that a rule applies to. Default: all. */
export interface RuleScope {
  readonly provider?: readonly string[];
  readonly operation?: readonly string[];
}

/** Excludes a value from the key, whether it exists or not. */
export interface IgnoreRule extends RuleScope {
  /** A JSON pointer; `*` is any index or name. */
  readonly ignore: string;
}

/** Treats all matches of a pattern as the same text. */
export interface ReplaceRule extends RuleScope {
  /** RE2 syntax, or the name of a pattern, e.g. `$uuid`. */
  readonly replace: string;
  /** Replaces a match. A named pattern has its own replacement. */
  readonly with?: string;
  /** Limits the rule to this value and everything below it. Default: the whole body. */
  readonly at?: string;
}

/** Includes a header in the key, in addition to those that are always included. */
export interface HeaderRule extends RuleScope {
  /** A lower-case name. */
  readonly header: string;
}

/** Excludes a header from the key. */
export interface IgnoreHeaderRule extends RuleScope {
  /** A lower-case name. */
  readonly ignoreHeader: string;
}

/** Determines which differences between requests change the key. */
export type NormalizeRule = IgnoreRule | ReplaceRule | HeaderRule | IgnoreHeaderRule;
