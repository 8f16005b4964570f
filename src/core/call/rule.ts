/** The calls that a rule is for; all where it does not say. */
export interface RuleScope {
  readonly provider?: readonly string[];
  readonly operation?: readonly string[];
}

/** What stands at a place takes no part in the key, whether it is there or not. */
export interface IgnoreRule extends RuleScope {
  /** A JSON pointer; `*` is any index or name. */
  readonly ignore: string;
}

/** Whatever a pattern matches counts as the same text. */
export interface ReplaceRule extends RuleScope {
  /** RE2 syntax, or the name of a pattern, e.g. `$uuid`. */
  readonly replace: string;
  /** Stands in the place of a match; a named pattern brings its own. */
  readonly with?: string;
  /** Where it looks: there and below. Everywhere in the body where it is not said. */
  readonly at?: string;
}

/** A header takes part in the key, besides those that always do. */
export interface HeaderRule extends RuleScope {
  /** A lower-case name. */
  readonly header: string;
}

/** A header takes no part in the key. */
export interface IgnoreHeaderRule extends RuleScope {
  /** A lower-case name. */
  readonly ignoreHeader: string;
}

/** One thing that is volatile in a project and makes no other call of a call, or that does make another one. */
export type NormaliseRule = IgnoreRule | ReplaceRule | HeaderRule | IgnoreHeaderRule;
