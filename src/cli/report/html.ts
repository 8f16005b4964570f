import { listTranslationsIn, localize } from "../../core/base/localize.ts";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWrongUsage } from "../../core/base/errors.ts";
import type { RunRecord } from "../../core/view/run-record/run-record.ts";
import { writeVisibleJson } from "../../core/base/visible.ts";
import { readBytesNow, READ_LIMITS } from "../../storage/folder/read-file.ts";

/**
 * Returns a self-contained page that shows a run. Its content security policy blocks all requests and allows only its
 * own script and style sheet, by hash. The run is embedded as JSON, which browsers do not execute.
 * @throws TapedeckError `tapedeck_usage` if the program was built without its pages.
 */
export function renderHtmlReport(run: RunRecord | undefined): string {
  const [script, style] = [partOf("timeline.js"), partOf("timeline.css")];
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'`;
  return `<!DOCTYPE html>
<html lang="${localize("en-US")}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<title>${localize("Tapedeck: calls of a run")}</title>
<style>${style}</style>
</head>
<body>
<main></main>
${textsElement(script)}<script type="application/json" id="data">${jsonInPage(run ?? null)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** Omitted in English, which has no translations. */
function textsElement(script: string): string {
  const json = jsonInPage(listTranslationsIn(script));
  return json === "{}" ? "" : `<script type="application/json" id="texts">${json}</script>\n`;
}

/** Returns JSON without invisible characters that cannot end the element around it or begin a comment. */
const jsonInPage = (value: unknown): string => writeVisibleJson(value).replaceAll("<", "\\u003c");

/** Reads a file to put between tags. @throws Error if its text could end the element. */
function partOf(name: string): string {
  const text = readBytesNow(join(pagesDir(), name), { most: READ_LIMITS.source }).toString("utf8");
  if (/<\/(?:script|style)/i.test(text)) throw new Error(`${name} cannot stand within a page`);
  return text;
}

/** In the folder above the bundle, and in `dist` where this runs from its sources. */
function pagesDir(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [join(here, "..", "pages"), join(here, "..", "..", "..", "dist", "pages")];
  const found = places.find((place) => existsSync(join(place, "timeline.js")));
  if (found !== undefined) return found;
  throw createWrongUsage(
    localize("This copy of Tapedeck has no pages, so it cannot write an HTML report."),
    localize("Build it: npm run build."),
  );
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;
