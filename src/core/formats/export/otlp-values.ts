/** Attributes by name; what is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * Attributes in OTLP's JSON, where integers are texts because they may have 64 bits.
 * Source: opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding", 1.8.0.
 */
export function attributesFrom(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueFrom(value) }],
  );
}

function valueFrom(value: string | number | boolean | readonly string[]): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(valueFrom) } };
}

/** Milliseconds since the epoch as nanoseconds, which a double does not hold. */
export function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)));
}
