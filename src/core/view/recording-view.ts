export type { RecordingView, RequestView } from "../describe.ts";

/** The place of a recording among those of its key. */
export interface TakeOf {
  /** From 1. */
  readonly k: number;
  readonly of: number;
}

/** "take 2 of 3". */
export function takeText({ k, of }: TakeOf): string {
  return `take ${k} of ${of}`;
}
