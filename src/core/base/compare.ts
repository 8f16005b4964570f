/** Compares two texts by their code units, for sorting: the same order in every language and on every machine. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
