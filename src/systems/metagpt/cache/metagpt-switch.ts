import { existsSync } from "node:fs";
import { join } from "node:path";
import { canLeaveMachine, type Mode } from "../../../core/call/call.ts";

/** MetaGPT's tests read it as a whole number. Except for 0, they send calls that are not in the cache. */
export const METAGPT_VARIABLE = "ALLOW_OPENAI_API_CALL";

/**
 * Set to the same value, which marks the switch as Tapedeck's: in a terminal that was opened before the mode changed,
 * the hook then asks the server for the mode.
 */
export const METAGPT_FOLLOWS_MODE = "TAPEDECK_METAGPT";

/** Returns the value of MetaGPT's switch for a mode. */
export const getMetagptValue = (mode: Mode): "0" | "1" => (canLeaveMachine(mode) ? "1" : "0");

/** Path of the tests' cache in MetaGPT and in projects made from it. */
const PLACES = ["tests/data/rsp_cache.json", "rsp_cache.json"];

/** Whether one of these folders has such a cache at its usual path. Searching large folders would take too long. */
export function hasMetagptCache(roots: readonly string[]): boolean {
  return roots.some((root) => PLACES.some((place) => existsSync(join(root, place))));
}
