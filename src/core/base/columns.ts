/** Characters that take two columns in a terminal and in an editor: Chinese, Japanese, Korean, full-width forms, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/gu;

/** Returns the number of columns that a text without control characters takes. */
export function countColumns(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return Array.from(text).length + (text.match(WIDE)?.length ?? 0);
}

/** Pads a text at its end to a number of columns. */
export function padColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - countColumns(text)));
}

/** Returns the columns that the widest cell of each column takes. */
export function computeWidths(rows: readonly (readonly string[])[]): readonly number[] {
  return rows.reduce<number[]>(
    (widths, cells) => cells.map((cell, at) => Math.max(countColumns(cell), widths[at] ?? 0)),
    [],
  );
}
