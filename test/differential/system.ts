/** One of the originals, and the part of Tapedeck that has to be equal to it. */
export interface Differential<Case = unknown> {
  readonly name: string;
  /** The program in `originals/` that reads cases and writes results, as JSON. */
  readonly program: string;
  /** What pip installs for it. */
  readonly packages: readonly string[];
  /** What no registry has: a repository at a revision, whose files stand in this folder below `--sources`. */
  readonly sources?: { readonly folder: string; readonly address: string; readonly revision: string };
  /** The case of a seed. */
  caseOf(seed: number): Case;
  ours(input: Case): unknown;
  /** What counts of a result of the original; default all. */
  theirs?(result: unknown): unknown;
  /** Why a difference is meant, where it is: the requirement or the page of the docs that says so. */
  documented?(input: Case, results: { readonly ours: unknown; readonly theirs: unknown }): string | undefined;
}
