import { decodeText } from "../../base/wire/text.ts";
import { readFields, readText, tryParsePlainJson } from "../../base/lenient.ts";
import type { ProtocolRequest, Reply } from "../../protocol/base/protocol.ts";
import { getValuesAt, isFormLike, readForm, type RequestContent } from "../../protocol/table/sent.ts";
import type { BilledUnit } from "./prices.ts";

/** How many seconds, images, or others a call is billed for. */
export interface BilledUnits {
  readonly unit: BilledUnit;
  readonly count: number;
  /** Whether neither the request nor the reply has the count. */
  readonly isEstimated: boolean;
  /** The model that the provider uses if the request names none. */
  readonly model?: string | undefined;
}

/** Where an operation's count is. */
interface UnitRow {
  readonly unit: BilledUnit;
  /** Pointers into the reply: to a number, or to the results, which are counted. The first with a value counts. */
  readonly replied?: readonly string[];
  /** Pointers into the request: to a number, such as "5s", or to the text whose characters are counted. */
  readonly sent?: readonly string[];
  /** A pointer into the request to the number of results, which multiplies the count of the request. */
  readonly times?: string;
  readonly otherwise?: number;
  /** Bytes of a sent file per unit, if no count is known. */
  readonly bytes?: number;
  readonly model?: string;
}

const IMAGES: UnitRow = { unit: "image", replied: ["/data/*"], sent: ["/n"], otherwise: 1 };
/** Recorded speech has at least 32 kbit/s. */
const TRANSCRIPTION: UnitRow = {
  unit: "second",
  replied: ["/usage/seconds", "/duration", "/usage/prompt_audio_seconds"],
  bytes: 4_000,
};
/** The request does not name the model, so it counts as the most expensive one. */
const CHANGED_VIDEO: UnitRow = {
  unit: "second",
  replied: ["/seconds"],
  sent: ["/seconds"],
  otherwise: 12,
  model: "sora-2-pro",
};

/** Sources: the SDKs' types that the operations' rows name, 2026-11. */
const ROWS: ReadonlyMap<string, UnitRow> = new Map(
  Object.entries({
    "audio.speech": { unit: "character", sent: ["/input"] },
    "audio.transcriptions": TRANSCRIPTION,
    "audio.translations": TRANSCRIPTION,
    "videos.create": {
      unit: "second",
      replied: ["/seconds"],
      sent: ["/seconds"],
      otherwise: 4,
      model: "sora-2",
    },
    "videos.edits": CHANGED_VIDEO,
    "videos.extensions": CHANGED_VIDEO,
    "videos.remix": CHANGED_VIDEO,
    "videos.generate": {
      unit: "second",
      sent: ["/parameters/durationSeconds", "/parameters/duration"],
      times: "/parameters/sampleCount",
      otherwise: 8,
    },
    "async_invoke.start": {
      unit: "second",
      sent: ["/modelInput/videoGenerationConfig/durationSeconds", "/modelInput/duration"],
    },
    "images.generations": IMAGES,
    "images.edits": IMAGES,
    "images.variations": IMAGES,
    "images.predict": {
      unit: "image",
      replied: ["/predictions/*"],
      sent: ["/parameters/sampleCount"],
      otherwise: 4,
    },
    "images.generate": { unit: "image", sent: ["/parameters/n"], otherwise: 1 },
    invoke: {
      unit: "image",
      replied: ["/images/*"],
      sent: ["/imageGenerationConfig/numberOfImages"],
      otherwise: 1,
    },
    ocr: { unit: "page", replied: ["/usage_info/pages_processed"] },
    rerank: { unit: "search", replied: ["/meta/billed_units/search_units"], otherwise: 1 },
  } satisfies Record<string, UnitRow>),
);

/** Returns what an operation is billed by, apart from tokens, and the model that it uses by default. */
export const findBilledUnit = (operation: string): Pick<UnitRow, "unit" | "model"> | undefined =>
  ROWS.get(operation);

/** Counts what a call is billed for; undefined if it is billed by tokens only, or if no count is known. */
export function countBilledUnits(
  operation: string,
  request: () => ProtocolRequest,
  reply?: Reply,
): BilledUnits | undefined {
  const row = ROWS.get(operation);
  if (row === undefined) return undefined;
  const { unit, model, replied = [] } = row;
  const fields = replied.length > 0 && reply ? readFields(tryParsePlainJson(decodeText(reply.body))) : {};
  const counts = replied.map((pointer) => {
    const values = getValuesAt(fields, pointer);
    return pointer.endsWith("/*") ? values.length : readAmount(values[0]);
  });
  const found = counts.find((count) => count !== undefined && count > 0);
  if (found !== undefined) return { unit, count: found, isEstimated: false, model };
  const { body } = request();
  const sent = isFormLike(body) ? readForm(body) : undefined;
  const count = countSent(row, sent ?? { fields: {}, files: [] });
  if (count !== undefined) return { unit, count, isEstimated: false, model };
  const bytes = sent?.files.reduce((sum, { content }) => sum + content.byteLength, 0) ?? 0;
  const estimate = row.bytes !== undefined && bytes > 0 ? bytes / row.bytes : row.otherwise;
  return estimate === undefined ? undefined : { unit, count: estimate, isEstimated: true, model };
}

function countSent(
  { unit, sent = [], times, otherwise }: UnitRow,
  { fields }: Pick<RequestContent, "fields" | "files">,
): number | undefined {
  const values = sent.flatMap((pointer) => getValuesAt(fields, pointer));
  const value = values.find((one) => typeof one === "string" || typeof one === "number");
  if (unit === "character") return typeof value === "string" ? Array.from(value).length : undefined;
  const factor = times === undefined ? undefined : readAmount(getValuesAt(fields, times)[0]);
  const count = readAmount(value) ?? (factor === undefined ? undefined : otherwise);
  return count === undefined ? undefined : count * (factor ?? 1);
}

/** Reads 5, "5", or "5s". */
function readAmount(value: unknown): number | undefined {
  const amount = typeof value === "number" ? value : Number.parseFloat(readText(value) ?? "");
  return Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}
