import type { PatienceLimits } from "./patience.ts";

export interface OpenOptions {
  /** Whether anything is to be added. Without it nothing of the remote is changed, not even to try whether it could be. */
  readonly write: boolean;
  /** Ends the opening. */
  readonly signal: AbortSignal;
  /** How long it is waited for, in other measures than the usual ones. */
  readonly limits?: PatienceLimits;
}
