import type { CallEvent } from "../../core/call/call.ts";

/** A burst of recordings ends this many milliseconds after its last call. */
export const PACE_MS = 3_000;
/** Minimum recordings within `PACE_MS` that count as a burst. */
const FAST = 3;

/** Whether calls are being recorded faster than a person reads. `calls`: newest last; `now`: milliseconds since the epoch. */
export function isRecordingFast(calls: readonly CallEvent[], now: number): boolean {
  let recorded = 0;
  for (let index = calls.length - 1; index >= 0; index -= 1) {
    const call = calls[index];
    if (call === undefined || call.at < now - PACE_MS) return false;
    if (call.outcome === "recorded") recorded += 1;
    if (recorded >= FAST) return true;
  }
  return false;
}
