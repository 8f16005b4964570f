import { canLeaveMachine, type Mode } from "../../core/call/call.ts";
import type { EnvironmentSwitch } from "../environment/environment-model.ts";
import {
  METAGPT_FOLLOWS_MODE,
  METAGPT_VARIABLE,
  metagptValue,
} from "../../systems/metagpt/cache/metagpt-switch.ts";

/** MetaGPT's own switch, set as the mode says, where the workspace has a cache of its tests. */
export function metagptSwitch(mode: Mode, caches: readonly string[]): readonly EnvironmentSwitch[] {
  if (caches.length === 0) return [];
  const value = metagptValue(mode);
  const what = canLeaveMachine(mode)
    ? "ask the provider for what is not in rsp_cache.json, and keep what passed"
    : "answer from rsp_cache.json alone";
  const note = `MetaGPT's tests ${what} (${METAGPT_VARIABLE}=${value}).`;
  return [
    { name: METAGPT_VARIABLE, value, note },
    { name: METAGPT_FOLLOWS_MODE, value },
  ];
}
