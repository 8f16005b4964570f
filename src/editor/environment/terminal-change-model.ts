import { fieldsOf, isFields } from "../../core/base/lenient.ts";
import { entriesOf } from "../../hooks/list-variable.ts";
import type { VariableChange } from "./environment-model.ts";

/** Whether a new terminal has a variable before ours come: "unknown" where a task or a profile may say something else. */
type TerminalState = "set" | "unset" | "unknown";

/** What VS Code does to one variable of a terminal. It joins texts as they are, and has no word for "if it is set". */
export interface TerminalChange {
  readonly name: string;
  readonly how: VariableChange["how"];
  readonly value: string;
}

/**
 * The change as a terminal takes it; undefined where the variable is left alone. Joined to nothing, a separator would
 * leave an empty entry, which in PYTHONPATH is the working directory: code in it would run with every `pip --version`.
 */
export function terminalChange(change: VariableChange, state: TerminalState): TerminalChange | undefined {
  const { name, how, value } = change;
  if (how === "replace") return { name, how, value };
  const { separator } = change;
  const joining = { name, how, value: how === "append" ? separator + value : value + separator };
  if (separator === " ") return joining; // blanks leave no entries
  if (state === "unset") return { name, how: "replace", value };
  return state === "set" && value !== "*" ? joining : undefined;
}

/** Where a terminal's variables come from, beside those that extensions add. */
export interface TerminalSources {
  /** What terminals inherit; nothing where the setting `terminal.integrated.inheritEnv` is off. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** The setting `terminal.integrated.env.<system>`, as it is: null takes a variable away. */
  readonly settings: unknown;
  /** Of tasks and terminal profiles, whose own variables nobody knows before they start. */
  readonly others: readonly unknown[];
  /** Between the entries of the variable. */
  readonly separator: string;
}

export function terminalState(
  name: string,
  { inherited, settings, others, separator }: TerminalSources,
): TerminalState {
  const said = fieldsOf(settings)[name];
  const text = said === undefined ? inherited[name] : said;
  if (typeof text === "string") {
    // What VS Code fills in may turn out to be empty, but for the folder.
    const sure = text.replaceAll("${workspaceFolder}", "/").replaceAll(/\$\{[^}]*\}/gu, "");
    if (entriesOf(sure, separator).length > 0) return "set";
    if (text.includes("${")) return "unknown";
  }
  return others.some((other) => names(other, name)) ? "unknown" : "unset";
}

/** Whether a name is a member's anywhere in it. */
function names(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((one) => names(one, name));
  return (
    isFields(value) && (Object.hasOwn(value, name) || Object.values(value).some((one) => names(one, name)))
  );
}
