import { localize } from "../../core/base/localize.ts";
/** The parts of a panel's page, with webview addresses. */
export interface PageParts {
  readonly title: string;
  /** `webview.cspSource` */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  /** Translations of the script's texts. */
  readonly texts: Readonly<Record<string, string>>;
  /** Unique for this page. */
  readonly nonce: string;
}

/**
 * Returns an empty page with one script and one style sheet of the extension. Its policy blocks all other resources and
 * connections. Its content arrives as messages and is rendered as text.
 */
export function renderPageHtml({ title, source, script, style, texts, nonce }: PageParts): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}`;
  return `<!DOCTYPE html>
<html lang="${localize("en-US")}">
  <head>
    <meta charset="UTF-8">
    <meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1.0">
    <link rel="stylesheet" href="${escapeHtml(style)}">
    <title>${escapeHtml(title)}</title>
  </head>
  <body>
    <main id="page"></main>
    ${textsElement(texts)}<script nonce="${nonce}" src="${escapeHtml(script)}"></script>
  </body>
</html>
`;
}

/** Omitted in English, which has no translations. */
function textsElement(texts: PageParts["texts"]): string {
  const json = JSON.stringify(texts).replaceAll("<", "\\u003c");
  return json === "{}" ? "" : `<script type="application/json" id="texts">${json}</script>\n    `;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
