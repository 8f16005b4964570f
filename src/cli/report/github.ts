import type { RunFinding } from "./run-findings.ts";
import { visible } from "../../core/view/visible.ts";

/**
 * Annotations for GitHub Actions, one line each. Text of others cannot end a line or a property, nor begin a command.
 * Source: github.com/actions/toolkit, packages/core/src/command.ts.
 */
export function githubReport(findings: readonly RunFinding[]): string {
  return findings
    .map(({ level, file, line, title, message }) => {
      const place = file === undefined ? [] : [["file", file], ...(line ? [["line", String(line)]] : [])];
      const properties = [...place, ["title", `Tapedeck: ${title}`]]
        .map(([name = "", value = ""]) => `${name}=${escapedProperty(value)}`)
        .join(",");
      return `::${level} ${properties}::${escapedText(message)}\n`;
    })
    .join("");
}

function escapedText(text: string): string {
  return visible(text).replaceAll("%", "%25").replaceAll("\n", "%0A");
}

function escapedProperty(text: string): string {
  return escapedText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
