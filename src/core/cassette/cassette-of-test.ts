import type { TestRef } from "../call/call.ts";
import { withoutCase } from "../call/test-names.ts";

/**
 * Which of several cassettes of other recorders are a test's, by the names that recorders give them: the module and
 * the test (pytest-recording, pytest-vcr), or the titles (VCR, Polly.JS, nock). Paths have "/" between segments. None
 * where no name is the test's; several where the runner does not tell a parametrised test's case.
 */
export function findCassettesOfTest(test: TestRef, cassettes: readonly string[]): readonly string[] {
  for (const names of namesOf(test)) {
    const found = cassettes.filter((cassette) => tailsOf(cassette, test).some((tail) => names(tail)));
    const nearest = Math.max(...found.map((cassette) => sharedFolders(cassette, test.file)));
    if (found.length > 0) return found.filter((cassette) => sharedFolders(cassette, test.file) === nearest);
  }
  return [];
}

/**
 * Returns the cassettes that a person names: by path from the project, or by the end of it, with or without the file's
 * extension. The whole path counts before an end of it.
 */
export function findCassettesNamed(name: string, cassettes: readonly string[]): readonly string[] {
  const normalized = name.replaceAll("\\", "/").replace(/^(?:\.?\/)+/, "");
  const spellings = (cassette: string): readonly string[] => [cassette, segmentsOf(cassette).join("/")];
  const whole = cassettes.filter((cassette) => spellings(cassette).includes(normalized));
  if (whole.length > 0) return whole;
  return cassettes.filter((cassette) => spellings(cassette).some((path) => path.endsWith(`/${normalized}`)));
}

type Names = (tail: string) => boolean;

/** What may stand at the end of a cassette's path, the clearest first. */
function namesOf(test: TestRef): readonly Names[] {
  const names = test.joined === undefined ? test.name : [test.joined];
  const stem = stemOf(test.file);
  if (names.length === 0) return [];
  return test.file.endsWith(".py") ? pythonNames(test, stem) : titleNames(names, stem);
}

/** Cases differ in one character only, so that nothing is read loosely. */
function pythonNames({ name, id, runner }: TestRef, stem: string): readonly Names[] {
  const own = name.map(withoutCase).join(".");
  const isKnown = id !== undefined && runner === "pytest";
  const parameters = isKnown ? (/\[.*$/s.exec(id)?.[0] ?? "") : "";
  const of = (start: string): Names => {
    const whole = asFileName(own + parameters);
    return (tail) => {
      if (!tail.startsWith(start)) return false;
      const rest = tail.slice(start.length);
      return (isKnown ? rest : withoutCase(rest)) === whole;
    };
  };
  return [of(`${stem}/`), of("")];
}

/** As pytest-recording replaces what no file's name may hold. */
const asFileName = (name: string): string => name.replaceAll(/[<>?%*:|"'/\\]/g, "-");

function titleNames(titles: readonly string[], stem: string): readonly Names[] {
  const own = slug(titles.join(" "));
  return [
    (tail) => slug(tail) === `${slug(stem)}-${own}`,
    // Polly.JS cuts long names.
    (tail) => slug(tail) === own || (tail.length >= CUT_NAME && own.startsWith(slug(tail))),
  ];
}

const CUT_NAME = 100;

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");
}

/** The ends of a cassette's path without what its recorder adds; none that begins below another test's module. */
function tailsOf(cassette: string, { file }: TestRef): readonly string[] {
  const segments = segmentsOf(cassette);
  const own = stemOf(file);
  return segments.flatMap((_, at) => {
    const above = segments[at - 1] ?? "";
    const isOthers = above !== own && TEST_FILE.test(above);
    return isOthers ? [] : [segments.slice(at).join("/")];
  });
}

const TEST_FILE = /^test_|_test$|[._-](?:test|spec)s?(?:\.|$)/;
const ENDING = /\.(?:ya?ml|json|jsonl|ndjson|har|httprr)(?:\.gz)?$/i;

function segmentsOf(cassette: string): readonly string[] {
  const segments = cassette.split("/");
  const isPolly = segments.at(-1) === "recording.har";
  if (isPolly) return segments.slice(0, -1).map((segment) => segment.replace(/_\d+$/, ""));
  return [...segments.slice(0, -1), (segments.at(-1) ?? "").replace(ENDING, "")];
}

/** A file's name without its ending: "chat.test" of "chat.test.ts". */
const stemOf = (file: string): string => (file.split("/").at(-1) ?? "").replace(/\.[^.]+$/, "");

/** How many folders from the top two paths have in common. */
function sharedFolders(one: string, other: string): number {
  const others = other.split("/").slice(0, -1);
  const folders = one.split("/").slice(0, -1);
  const apart = folders.findIndex((folder, at) => folder !== others[at]);
  return apart === -1 ? folders.length : apart;
}
