import { spendingText } from "../../core/call/spending.ts";
import type { CallEvent, Outcome } from "../../core/call/call.ts";
import { visible, visibleLine } from "../../core/base/visible.ts";

const WORDS: Readonly<Record<Outcome, string>> = {
  replayed: "replayed",
  recorded: "recorded",
  forwarded: "forwarded",
  defaulted: "made up",
  miss: "missing",
  refused: "refused",
};

/** A call in one line: outcome, what it was, how long, which recording, which test, and why where it went wrong. */
export function callLine(event: CallEvent): { readonly level: "info" | "warn"; readonly text: string } {
  const { outcome, provider, operation, model, ms, key, entry, test, reason, hint, charge } = event;
  const where =
    test && `${test.file}${test.line === undefined ? "" : `:${test.line}`} ${test.name.join(" › ")}`;
  const parts = [
    WORDS[outcome],
    `${provider} ${operation}`,
    model,
    `${ms.toFixed(1)} ms`,
    entry ?? key?.slice("sha256:".length, "sha256:".length + 8),
    where,
    charge && spendingText(charge),
    [reason, hint].filter(Boolean).join(" "),
  ];
  const text = parts.filter((part) => part !== undefined && part !== "").join(" · ");
  return {
    level: outcome === "miss" || outcome === "refused" || reason !== undefined ? "warn" : "info",
    text: visibleLine(text),
  };
}

/** A remark: text of others in it neither steers a terminal nor begins a line that looks like one of the log's own. */
export const logText = (text: string): string => visible(text).replaceAll("\n", "\n    ");
