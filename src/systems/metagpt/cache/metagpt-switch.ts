import { existsSync } from "node:fs";
import { join } from "node:path";
import { canLeaveMachine, type Mode } from "../../../core/call/call.ts";

/** MetaGPT's tests read it as a whole number; anything but 0 lets a call that is not in the cache go out. */
export const METAGPT_VARIABLE = "ALLOW_OPENAI_API_CALL";

/**
 * Set to the same value, which marks the switch as Tapedeck's: in a terminal that was opened before the mode changed,
 * the hook then asks the server for the mode.
 */
export const METAGPT_FOLLOWS_MODE = "TAPEDECK_METAGPT";

/** MetaGPT's own switch, as a mode wants it. */
export const metagptValue = (mode: Mode): "0" | "1" => (canLeaveMachine(mode) ? "1" : "0");

/** Where MetaGPT and projects made from it have the cache of their tests. */
const PLACES = ["tests/data/rsp_cache.json", "rsp_cache.json"];

/** Whether one of these folders has such a cache. They are not searched: that takes its time in a large one. */
export function hasMetagptCache(roots: readonly string[]): boolean {
  return roots.some((root) => PLACES.some((place) => existsSync(join(root, place))));
}
