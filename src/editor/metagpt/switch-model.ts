import type { Mode } from "../../core/call.ts";
import type { EnvironmentSwitch } from "../environment/environment-model.ts";
import { canLeaveMachine } from "../../core/source/modes.ts";

/** MetaGPT's tests read it as a whole number; anything but 0 lets a call that is not in the cache go out. */
const VARIABLE = "ALLOW_OPENAI_API_CALL";

/** MetaGPT's own switch, set as the mode says, where the workspace has a cache of its tests. */
export function metagptSwitch(mode: Mode, caches: readonly string[]): readonly EnvironmentSwitch[] {
  if (caches.length === 0) return [];
  const value = canLeaveMachine(mode) ? "1" : "0";
  const what = canLeaveMachine(mode)
    ? "ask the provider for what is not in rsp_cache.json, and keep what passed"
    : "answer from rsp_cache.json alone";
  const note = `MetaGPT's tests in new terminals ${what} (${VARIABLE}=${value}).`;
  return [{ name: VARIABLE, value, note }];
}
