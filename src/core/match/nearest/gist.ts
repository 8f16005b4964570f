import { isJsonArray, member, type JsonTree } from "../../json/json-tree.ts";
import { pickDefined } from "../../pick-defined.ts";
import { textOf } from "../differences/excerpt.ts";

/** What makes a request be about the same thing for a person, read from any provider's JSON by its usual names. */
export interface Gist {
  readonly model?: string;
  /** The text of the last user message. */
  readonly lastUser?: string;
  readonly system?: string;
}

const SYSTEM_NAMES = ["system", "systemInstruction", "system_instruction", "instructions"];
const MESSAGES_NAMES = ["messages", "contents", "input"];
const PROMPT_NAMES = ["prompt", "input", "inputs", "text"];

/** Best effort: what is not where it usually is stays undefined. `tree` is undefined for a body that is not JSON. */
export function gistOf(path: string, tree: JsonTree | undefined): Gist {
  const model = textUnder(tree, ["model"]) ?? /\/models?\/([^/:?]+)/.exec(path)?.[1];
  const messages = MESSAGES_NAMES.map((name) => member(tree, name)).find(
    (value) => value !== undefined && isJsonArray(value),
  );
  const list = messages !== undefined && isJsonArray(messages) ? messages : [];
  const asked = list.findLast((message) => roleOf(message) === "user" && textOf(message) !== undefined);
  const told = list.find((message) => roleOf(message) === "system" || roleOf(message) === "developer");
  const lastUser = asked === undefined ? textUnder(tree, PROMPT_NAMES) : textOf(asked);
  const system = textUnder(tree, SYSTEM_NAMES) ?? (told === undefined ? undefined : textOf(told));
  return pickDefined({ model, lastUser, system });
}

function textUnder(tree: JsonTree | undefined, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = member(tree, name);
    const text = value === undefined ? undefined : textOf(value);
    if (text !== undefined) return text;
  }
  return undefined;
}

function roleOf(message: JsonTree): string | undefined {
  const role = member(message, "role");
  return typeof role === "string" ? role : undefined;
}
