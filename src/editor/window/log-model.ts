import { joinSentences, localize } from "../../core/base/localize.ts";
import { formatSpending } from "../../core/call/spending.ts";
import type { CallEvent } from "../../core/call/call.ts";
import { makeVisible, makeVisibleLine } from "../../core/base/visible.ts";
import { describeOutcome } from "../../core/view/run-record/run-record.ts";

/** A call in one line: outcome, operation, model, duration, recording, test, and the reason if it failed. */
export function formatCallLine(event: CallEvent): { readonly level: "info" | "warn"; readonly text: string } {
  const { outcome, provider, operation, model, ms, key, entry, test, reason, hint, charge } = event;
  const where =
    test && `${test.file}${test.line === undefined ? "" : `:${test.line}`} ${test.name.join(" › ")}`;
  const parts = [
    describeOutcome(outcome),
    `${provider} ${operation}`,
    model,
    localize("{0} ms", ms.toFixed(1)),
    entry ?? key?.slice("sha256:".length, "sha256:".length + 8),
    where,
    charge && formatSpending(charge),
    joinSentences(reason ?? "", hint ?? ""),
  ];
  const text = parts.filter((part) => part !== undefined && part !== "").join(" · ");
  return {
    level: outcome === "miss" || outcome === "refused" || reason !== undefined ? "warn" : "info",
    text: makeVisibleLine(text),
  };
}

/** Escapes a message, so that it cannot control a terminal or start a line that looks like a log entry. */
export const escapeLogText = (text: string): string => makeVisible(text).replaceAll("\n", "\n    ");
