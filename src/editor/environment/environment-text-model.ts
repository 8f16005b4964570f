import { localize } from "../../core/base/localize.ts";
import type { VariableChange } from "./environment-model.ts";

/** Formats in which a person can copy the variables. */
type EnvironmentFormat = "bash" | "powershell" | "dotenv";

interface FormatText {
  readonly format: EnvironmentFormat;
  readonly label: string;
  readonly description: string;
}

export const FORMATS: readonly FormatText[] = [
  { format: "bash", label: "bash, zsh", description: "export NAME='value'" },
  { format: "powershell", label: "PowerShell", description: "$env:NAME = 'value'" },
  { format: "dotenv", label: localize(".env file"), description: 'NAME="value"' },
];

/** The lines to paste, in order, each quoted for its shell. Lines for a shell keep its existing values. */
export function writeEnvironment(changes: readonly VariableChange[], format: EnvironmentFormat): string {
  return changes.map((change) => `${LINES[format](change)}\n`).join("");
}

const LINES: Readonly<Record<EnvironmentFormat, (change: VariableChange) => string>> = {
  bash(change) {
    const { name, how, value } = change;
    const before = how === "append" ? `"\${${name}:+$${name}${change.separator}}"` : "";
    const after = how === "prepend" ? `"\${${name}:+${change.separator}$${name}}"` : "";
    return `export ${name}=${before}'${value.replaceAll("'", String.raw`'\''`)}'${after}`;
  },
  powershell(change) {
    const { name, how, value } = change;
    const quoted = `'${value.replaceAll("'", "''")}'`;
    if (how === "replace") return `$env:${name} = ${quoted}`;
    const parts = how === "append" ? `$env:${name}, ${quoted}` : `${quoted}, $env:${name}`;
    return `$env:${name} = (${parts} -ne $null) -join '${change.separator}'`;
  },
  dotenv: ({ name, value }) => `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', String.raw`\"`)}"`,
};
