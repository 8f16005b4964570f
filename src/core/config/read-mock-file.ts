import { localize } from "../base/localize.ts";
import { createWrongUsage, type TapedeckError } from "../base/errors.ts";
import { isJsonFault, parseJson } from "../base/json/json-parse.ts";
import {
  createFileFault,
  readElements,
  readInteger,
  readNumber,
  readString,
  type FilePlace,
} from "../cassette/file-reader.ts";
import type { CallMatch, FailedCall, Times } from "../call/mocks.ts";

/** A file of made-up answers or faults: its name and an example for messages, and how one of them is read. */
export interface MockFile<T> {
  readonly what: () => string;
  readonly hint: () => string;
  /** @throws JsonFault */
  readonly read: (entry: FilePlace) => T;
}

/**
 * Reads a JSON list, or one JSON value a line.
 * @throws TapedeckError `tapedeck_usage` that names the file and the place
 */
export function readMockFile<T>({ what, hint, read }: MockFile<T>, text: string, file: string): readonly T[] {
  const unusable = (place: string, why: string): TapedeckError =>
    createWrongUsage(localize("The {0} cannot be used: {1}: {2}.", what(), place, why), hint());
  const isList = text.trimStart().startsWith("[");
  const entries = (isList ? [text] : text.split(/\r?\n/)).flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      const root: FilePlace = { tree: parseJson(line), text: line, parent: undefined, step: "" };
      return (isList ? readElements(root) : [root]).map(read);
    } catch (error) {
      if (!isJsonFault(error)) throw error;
      throw unusable(`${file}:${index + error.line}:${error.column}`, error.reason);
    }
  });
  if (entries.length === 0) throw unusable(file, localize("it is empty"));
  return entries;
}

type Readers<T> = { readonly [Name in keyof T]-?: (place: FilePlace) => T[Name] };

/** The members that say which calls something is for. */
export const MATCH: Readers<Required<CallMatch> & { readonly times: Times }> = {
  provider: readString,
  model: readString,
  text: readString,
  test: readString,
  times(place) {
    if (place.tree === "always") return "always";
    if (typeof place.tree === "string")
      throw createFileFault(place, localize('must be a whole number above 0, or "always"'));
    return readInteger(place, 1);
  },
};

/** The members of a failure as a provider would word it. */
export const FAILURE: Readers<Required<FailedCall>> = {
  status: (place) => readInteger(place, 400, 599),
  message: readString,
  retryAfter: (place) => readNumber(place, 0, 86_400),
};
