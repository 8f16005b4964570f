import generated from "@opentelemetry/otlp-transformer/build/src/generated/root.js";

interface MessageType {
  fromObject(value: unknown): unknown;
  verify(value: unknown): string | null;
  encode(value: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
  toObject(value: unknown, options: object): unknown;
}

interface Root {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: { readonly trace: { readonly v1: { ExportTraceServiceRequest: MessageType } } };
    };
  };
}

/** OTLP's protocol buffer definitions, as generated for OpenTelemetry's JavaScript exporter. */
const { ExportTraceServiceRequest: Request } = (generated as unknown as Root).opentelemetry.proto.collector
  .trace.v1;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

const IDS = new Set(["traceId", "spanId", "parentSpanId"]);

/**
 * Returns the spans of a text in OTLP's JSON format. Checks the text by converting it to the binary format and back,
 * because the conversion drops fields that the definitions do not contain.
 * @throws Error if the text does not match the definitions.
 */
export function spansIn(text: string): readonly Span[] {
  if (!text.endsWith("\n") || text.indexOf("\n") !== text.length - 1) throw new Error("It is not one line.");
  const json = JSON.parse(text) as object;
  const wrong = Request.verify(Request.fromObject(withBytes(json)));
  if (wrong !== null) throw new Error(wrong);
  const back = Request.decode(Request.encode(Request.fromObject(withBytes(json))).finish());
  const told = withHex(Request.toObject(back, { longs: String, enums: Number, bytes: Array, json: false }));
  if (JSON.stringify(sorted(told)) !== JSON.stringify(sorted(json)))
    throw new Error(
      `Something of it is unknown:\n${JSON.stringify(sorted(json))}\n${JSON.stringify(sorted(told))}`,
    );
  const { resourceSpans = [] } = json as {
    resourceSpans?: { scopeSpans: { spans: (Span & { attributes: Pair[] })[] }[] }[];
  };
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, plain(value)])),
    }));
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function plain(value: Pair["value"]): unknown {
  if ("arrayValue" in value) return (value["arrayValue"] as { values: Pair["value"][] }).values.map(plain);
  const [one] = Object.values(value);
  return "intValue" in value ? Number(one) : one;
}

/** Converts ids to bytes. OTLP's JSON has hexadecimal ids, while protocol buffers' JSON uses base64. */
function withBytes(value: unknown, name = ""): unknown {
  if (typeof value === "string") return IDS.has(name) ? [...Buffer.from(value, "hex")] : value;
  if (Array.isArray(value)) return value.map((one) => withBytes(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withBytes(one, key)]));
}

function withHex(value: unknown, name = ""): unknown {
  if (Array.isArray(value))
    return IDS.has(name) ? Buffer.from(value as number[]).toString("hex") : value.map((one) => withHex(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withHex(one, key)]));
}

/** Sorts members by name and removes empty arrays, which are equivalent to missing ones. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, one]) => !(Array.isArray(one) && one.length === 0));
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]),
  );
}
