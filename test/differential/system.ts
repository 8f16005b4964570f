/** One of the originals, and the part of Tapedeck that has to be equal to it. */
export interface Differential<Case = unknown> {
  readonly name: string;
  /** The file in `test/fixtures/originals` with the inputs and the results of the original. */
  readonly results: string;
  ours(input: Case): unknown;
  /** What counts of a result of the original; default all. */
  theirs?(result: unknown): unknown;
  /** Returns the reason of an intended difference: the requirement or the page of the docs. */
  documented?(input: Case, results: { readonly ours: unknown; readonly theirs: unknown }): string | undefined;
}
