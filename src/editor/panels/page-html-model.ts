/** What a page of a panel is made of: addresses as the webview gives them. */
export interface PageParts {
  readonly title: string;
  /** `webview.cspSource` */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  /** Of this page alone. */
  readonly nonce: string;
}

/**
 * An empty page with one script and one style sheet of ours. It may load nothing else, from nowhere, and connects to
 * nobody: what it shows comes as messages, and becomes text.
 */
export function pageHtml({ title, source, script, style, nonce }: PageParts): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}`;
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="UTF-8">
    <meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1.0">
    <link rel="stylesheet" href="${escapeHtml(style)}">
    <title>${escapeHtml(title)}</title>
  </head>
  <body>
    <main id="page"></main>
    <script nonce="${nonce}" src="${escapeHtml(script)}"></script>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
