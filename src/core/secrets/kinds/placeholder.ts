/** Says of a value that it stands for one: words that documentation uses, names of variables, one character over and over. */
export function isPlaceholder(value: string): boolean {
  return (
    /^(?:\$|\{|<|%[a-z({]|\*|process\.env|os\.(?:environ|getenv)|env\.|secrets\.|var\.)/i.test(value) ||
    /example|placeholder|change_?me|redacted|dummy|your[-_ ]?|x{4}|\*{3}|\.{3}|insert|goes[-_]?here|not[-_]?a[-_]?real|123456789|abcdefgh|^(?:my|the|some|a|test|fake|mock|sample|foo|bar|user|pass|passwd|password|passw0rd|pwd|pw|secret|token|key|api[-_]?key|none|null|true|false|undefined|string|admin|root|guest|postgres|hunter2)[-_]?(?:password|secret|token|key|api[-_]?key|value|here|\d{0,4})$/i.test(
      value,
    ) ||
    new Set(value).size < 4
  );
}
