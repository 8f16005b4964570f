import { localize } from "../../core/base/localize.ts";
import { canLeaveMachine, type Mode } from "../../core/call/call.ts";
import type { EnvironmentSwitch } from "../environment/environment-model.ts";
import {
  METAGPT_FOLLOWS_MODE,
  METAGPT_VARIABLE,
  getMetagptValue,
} from "../../systems/metagpt/cache/metagpt-switch.ts";

/** Sets MetaGPT's switch according to the mode, if the workspace has a cache of its tests. */
export function createMetagptSwitch(mode: Mode, caches: readonly string[]): readonly EnvironmentSwitch[] {
  if (caches.length === 0) return [];
  const value = getMetagptValue(mode);
  const note = canLeaveMachine(mode)
    ? localize(
        "MetaGPT's tests call the provider if rsp_cache.json has no answer, and keep the answers of passed tests ({0}={1}).",
        METAGPT_VARIABLE,
        value,
      )
    : localize("MetaGPT's tests get answers only from rsp_cache.json ({0}={1}).", METAGPT_VARIABLE, value);
  return [
    { name: METAGPT_VARIABLE, value, note },
    { name: METAGPT_FOLLOWS_MODE, value },
  ];
}
