import { localize } from "../../core/base/localize.ts";
import { renderTimeline } from "../../core/view/run-record/timeline-document.ts";
import type { WhichTime } from "../../core/view/run-record/run-times.ts";
import type { RunRecord } from "../../core/view/run-record/run-record.ts";

/** Returns a page without scripts that shows a run twice: with its own times, and with those of its recordings. */
export function renderHtmlReport(run: RunRecord | undefined): string {
  const hasRecorded = run?.calls.some(({ recorded }) => recorded !== undefined);
  const times: readonly WhichTime[] = hasRecorded ? ["run", "recorded"] : ["run"];
  const timeOf = (at: number): string =>
    new Date(at).toLocaleString(localize("en-US"), { dateStyle: "medium", timeStyle: "short" });
  const texts = times.map((which) => `<pre>${escapeHtml(renderTimeline(run, { which, timeOf }).text)}</pre>`);
  return `<!DOCTYPE html>
<html lang="${localize("en-US")}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<title>${escapeHtml(localize("Tapedeck: calls of a run"))}</title>
<style>:root { color-scheme: light dark } pre { font: 13px/1.5 ui-monospace, monospace }</style>
</head>
<body>
<main>
${texts.join("\n<hr>\n")}
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
