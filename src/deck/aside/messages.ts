import { isTapedeckError, tapedeckError, type TapedeckErrorCode, type Position } from "../../core/errors.ts";
import type { Jobs, Setting } from "./jobs.ts";
import { thrownText } from "../../core/thrown-text.ts";

/** A job as it goes to the thread. */
export interface Asked {
  readonly id: number;
  readonly job: keyof Jobs;
  readonly setting: Setting;
  readonly input: unknown;
}

/** What came of it. */
export type Told =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: ToldError };

/** A failure as it can be sent. */
interface ToldError {
  readonly message: string;
  /** Absent for a bug. */
  readonly failure?: {
    readonly code: TapedeckErrorCode;
    readonly status: number;
    readonly hint: string;
    readonly position?: Position;
  };
}

export function toldError(error: unknown): ToldError {
  if (!isTapedeckError(error)) return { message: thrownText(error) };
  const { message, code, status, hint, position } = error;
  return { message, failure: { code, status, hint, ...(position && { position }) } };
}

export function errorFrom({ message, failure }: ToldError): Error {
  return failure === undefined ? new Error(message) : tapedeckError(failure.code, message, failure);
}

/** The memory of all bytes in a message that has it to itself: it is handed over and not copied. */
export function buffersIn(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const look = (one: unknown): void => {
    if (one instanceof Uint8Array) {
      const { buffer, byteLength } = one;
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) found.add(buffer);
    } else if (one instanceof Map) one.forEach(look);
    else if (isPlain(one)) Object.values(one).forEach(look);
  };
  look(value);
  return [...found];
}

/** Lists hold no bytes here, and may be long. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
