import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";

/** One expected result, computed by running the original code. */
export interface GoldenRow {
  readonly name: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- each row of each file has a different shape
  readonly input: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly expected: any;
  /** The requirement that overrules what the original did; without `instead`, the old behavior is offered as well. */
  readonly source_defect?: string;
  /** The result that the requirement expects instead. */
  readonly instead?: unknown;
  /** What plain JSON.parse cannot give; see `GoldenFile.text`. */
  readonly needs?: string;
}

export interface GoldenOptions {
  /** Which rows this test looks at. Default: all that no test before it has taken. */
  readonly rows?: (row: GoldenRow) => boolean;
  /** What we give for the input; a thrown error is compared as `errorOf` shows it. */
  readonly run: (row: GoldenRow) => unknown;
  /** Default `{ error: { type: its name, message } }`. */
  readonly errorOf?: (thrown: unknown, row: GoldenRow) => unknown;
  /** Reduces values that contain placeholders to the compared part. Applied to both sides. */
  readonly reduce?: (value: unknown, row: GoldenRow) => unknown;
}

export interface GoldenFile {
  readonly rows: readonly GoldenRow[];
  /** The file's own text, for rows that need a reader which keeps the spelling of numbers. */
  readonly text: string;
  /** One test over many rows; every row that differs is named. */
  test(title: string, options: GoldenOptions): void;
  /** A last test: no row was left out. Prints how many passed. */
  done(): void;
}

export const GOLDEN_FOLDER = resolve(import.meta.dirname, "../fixtures/golden");

/** The rows of `test/fixtures/golden/NAME.json`. */
export function goldenFile(name: string): GoldenFile {
  const text = readFileSync(resolve(GOLDEN_FOLDER, `${name}.json`), "utf8");
  const rows = (JSON.parse(text) as { rows: readonly GoldenRow[] }).rows;
  const taken = new Set<GoldenRow>();
  const passed = new Set<GoldenRow>();
  return {
    rows,
    text,
    test(title, options) {
      const own = rows.filter((row) => !taken.has(row) && (options.rows?.(row) ?? true));
      for (const row of own) taken.add(row);
      // oxlint-disable-next-line vitest/valid-title -- the caller's own
      test(title, async () => {
        const failures: unknown[] = [];
        for (const row of own) {
          const fault = await faultOf(row, options);
          if (fault === undefined) passed.add(row);
          else failures.push(fault);
        }

        expect(own.length, "rows for this test").toBeGreaterThan(0);
        expect(failures).toEqual([]);
      });
    },
    done() {
      test(`every row of ${name} is looked at`, () => {
        console.log(`▸ golden ${name}: ${passed.size} of ${rows.length}`);

        expect(rows.filter((row) => !taken.has(row)).map((row) => row.name)).toEqual([]);
      });
    },
  };
}

async function faultOf(row: GoldenRow, options: GoldenOptions): Promise<unknown> {
  const { errorOf = shownError, reduce = (value) => value } = options;
  const expected: unknown = "instead" in row ? row.instead : row.expected;
  let actual: unknown;
  try {
    actual = await options.run(row);
  } catch (error) {
    actual = errorOf(error, row);
  }
  const [ours, theirs] = [asJson(reduce(actual, row)), asJson(reduce(expected, row))];
  return isDeepStrictEqual(ours, theirs) ? undefined : { row: row.name, expected: theirs, actual: ours };
}

function shownError(thrown: unknown): unknown {
  return thrown instanceof Error
    ? { error: { type: thrown.name, message: thrown.message } }
    : { error: thrown };
}

function asJson(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
