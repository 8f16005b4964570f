/** Text of others in Markdown: code, whose fence is longer than any in it, so that it is no Markdown of theirs. */

export function codeBlock(lines: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(lines) + 1));
  return `${fence}\n${lines}\n${fence}`;
}

export function codeSpan(text: string): string {
  const mark = "`".repeat(longestRun(text) + 1);
  return `${mark} ${text} ${mark}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
