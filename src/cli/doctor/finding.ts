import { pickDefined } from "../../core/pick-defined.ts";

export interface Finding {
  /** What was looked at: "config", "node", "python httpx" … */
  readonly of: string;
  /** "bad" is what would not be seen or kept; "told" is neither well nor bad. */
  readonly state: "well" | "bad" | "told";
  /** A sentence, or its beginning. */
  readonly text: string;
  readonly hint?: string;
}

export const well = (of: string, text: string): Finding => ({ of, state: "well", text });
export const note = (of: string, text: string, hint?: string): Finding => ({
  of,
  state: "told",
  text,
  ...pickDefined({ hint }),
});
export const bad = (of: string, text: string, hint: string): Finding => ({ of, state: "bad", text, hint });
