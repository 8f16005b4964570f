import forms from "../fixtures/secret-forms.json" with { type: "json" };
import { seeded } from "./seeded.ts";

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const WORD = LOWER + LOWER.toUpperCase() + DIGITS;

/** The alphabet of each letter in a pattern. */
const ALPHABETS: Readonly<Record<string, string>> = {
  d: DIGITS,
  h: `${DIGITS}abcdef`,
  H: `${DIGITS}ABCDEF`,
  a: LOWER + DIGITS,
  A: LOWER.toUpperCase() + DIGITS,
  w: WORD,
  u: `${WORD}-_`,
  b: `${WORD}+/`,
};

/**
 * The form of each kind of secret: the secret in braces; in it `<w36>` is 36 random characters of an alphabet above,
 * `<uuid>` a UUID, and `<64:…>` the base64 of the rest. Written from the issuers' documentation, not from the rules.
 */
const PATTERNS: Readonly<Record<string, readonly string[]>> = forms;

/** A secret as it is met. */
export interface Specimen {
  readonly kind: string;
  readonly text: string;
  /** The part of the text that must not be written. */
  readonly secret: string;
}

/** Every kind in every way it is met, the same for the same seed. */
export function specimens(seed: number): readonly Specimen[] {
  const random = seeded(seed);
  const some = (alphabet: string): string => alphabet[Math.floor(random() * alphabet.length)] ?? "";
  // Short ones without a digit are words as far as anybody can tell.
  return made((alphabet, length) =>
    Array.from({ length }, (_, at) => some(at === 3 && length > 5 ? DIGITS : alphabet)).join(""),
  );
}

/** These kinds are recognized by their structure or their beginning, not only by random characters. */
const BUILT = new Set(["JSON web token", "Kubernetes secret", "password in a header", "private key"]);

/** The same texts with what documentation has in the place of a secret: one character over and over, or nothing. */
export function placeholders(): readonly Specimen[] {
  return [...made((_, length) => "x".repeat(length)), ...made(() => "")].filter(
    ({ kind }) => !BUILT.has(kind),
  );
}

type Fill = (alphabet: string, length: number) => string;

function made(fill: Fill): readonly Specimen[] {
  return Object.entries(PATTERNS).flatMap(([kind, patterns]) =>
    patterns.map((pattern) => {
      const [, before = "", secret = "", after = ""] = /^([^{]*)\{(.*)\}([^}]*)$/s.exec(pattern) ?? [];
      const filled = filledIn(secret, fill);
      return { kind, secret: filled, text: `${before}${filled}${after}` };
    }),
  );
}

function filledIn(pattern: string, fill: Fill): string {
  return pattern
    .replaceAll("<uuid>", "<h8>-<h4>-<h4>-<h4>-<h12>")
    .replaceAll(/<([a-zA-Z])(\d+)>/g, (_, name: string, length: string) =>
      fill(ALPHABETS[name] ?? "", Number(length)),
    )
    .replaceAll(/<64:([^>]*)>/g, (_, text: string) =>
      Buffer.from(text).toString("base64").replace(/=+$/, ""),
    );
}
