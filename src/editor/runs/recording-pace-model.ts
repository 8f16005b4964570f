import type { CallEvent } from "../../core/call.ts";

/** So long after the last call a run counts as recording, in milliseconds. */
export const PACE_MS = 3_000;
const FAST = 3;

/** Whether calls are being recorded faster than a person reads. `calls`: newest last. */
export function isRecordingFast(calls: readonly CallEvent[], now: number): boolean {
  let recorded = 0;
  for (let at = calls.length - 1; at >= 0; at -= 1) {
    const call = calls[at];
    if (call === undefined || call.at < now - PACE_MS) return false;
    if (call.outcome === "recorded") recorded += 1;
    if (recorded >= FAST) return true;
  }
  return false;
}
