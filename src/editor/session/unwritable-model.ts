import { explain, type TapedeckError } from "../../core/base/errors.ts";
import { codeOf } from "../../storage/folder/failures.ts";

/** Answers of one cassette folder that could not be written, and when that is news. */
export interface UnwritableWatch {
  /** One could not, for a reason. */
  failed(reason: TapedeckError): void;
  /** One could. */
  recorded(): void;
}

interface UnwritableOptions {
  readonly say: (text: string) => void;
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
}

/** Where some answers can be written and others cannot, the same is said again after this. */
const AGAIN_AFTER_MS = 10_000;

/** Says each reason once, and again where something was recorded since. */
export function createUnwritableWatch({ say, now }: UnwritableOptions): UnwritableWatch {
  const said = new Map<string, { readonly at: number; isOver: boolean }>();
  return {
    failed(reason) {
      // The system's own words may name a file that is another one each time.
      const name = codeOf(reason.cause) ?? reason.message;
      const before = said.get(name);
      if (before !== undefined && (!before.isOver || now() - before.at < AGAIN_AFTER_MS)) return;
      said.set(name, { at: now(), isOver: false });
      say(`Answers reach their callers, but are not recorded. ${explain(reason)}`);
    },
    recorded() {
      for (const one of said.values()) one.isOver = true;
    },
  };
}
