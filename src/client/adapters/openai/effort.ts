import type { ThinkingEffort } from "../../request.ts";

/** OpenAI's word for an effort; none is sent for thinking that is off, because not every model knows "none". */
export function openaiEffort(effort: ThinkingEffort): string | undefined {
  if (effort === "off") return undefined;
  return effort === "max" ? "xhigh" : effort;
}
