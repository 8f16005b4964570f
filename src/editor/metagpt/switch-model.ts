import type { Mode } from "../../core/call.ts";
import type { EnvironmentSwitch } from "../environment/environment-model.ts";
import { MODE_TEXTS } from "../session/mode-model.ts";

/** MetaGPT's tests read it as a whole number; anything but 0 lets a call that is not in the cache go out. */
const VARIABLE = "ALLOW_OPENAI_API_CALL";

/** MetaGPT's own switch, set as the mode says, where the workspace has a cache of its tests. */
export function metagptSwitch(mode: Mode, caches: readonly string[]): readonly EnvironmentSwitch[] {
  if (caches.length === 0) return [];
  const value = MODE_TEXTS[mode].leaves ? "1" : "0";
  const what = MODE_TEXTS[mode].leaves
    ? "ask the provider for what is not in rsp_cache.json, and keep what passed"
    : "answer from rsp_cache.json alone";
  const note = `MetaGPT's tests in new terminals ${what} (${VARIABLE}=${value}).`;
  return [{ name: VARIABLE, value, note }];
}
