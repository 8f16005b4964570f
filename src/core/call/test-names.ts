import type { TestRef } from "./call.ts";

/** A test's file and titles. */
type NamedTest = Pick<TestRef, "file" | "name">;

/** Returns an id of a test, which is the same for all of its executions; "" if the test is unknown. */
export const getTestId = (test: NamedTest | undefined): string =>
  test === undefined ? "" : JSON.stringify([test.file, test.name]);

/** Removes the parameters that pytest adds to the name of a function: `test_x[a]`. */
export const withoutCase = (title: string): string => title.replace(/\[.*$/s, "");

/** Returns the titles with which a test's file declares it: for a case of pytest, those of its function. */
export function getDeclaredName({ file, name }: NamedTest): readonly string[] {
  return file.endsWith(".py") ? name.map(withoutCase) : name;
}

/** Whether `one` is `other`, or a case of it. */
export function isSameTestOrCase(one: NamedTest, other: NamedTest): boolean {
  if (one.file !== other.file) return false;
  const name = JSON.stringify(other.name);
  return JSON.stringify(one.name) === name || JSON.stringify(getDeclaredName(one)) === name;
}

/** Whether a call was made outside of any test of a runner: by a script, a file's top-level code, or a notebook cell. */
export function isOutsideTests({ file, name }: NamedTest): boolean {
  return name.length === 0 || file.endsWith(".ipynb") || !isInFile({ file });
}

/** Whether a runner can run it again: a test, or the top-level code of a file that a runner loads. */
export function isRunByTests({ file, name, runner }: Pick<TestRef, "file" | "name" | "runner">): boolean {
  return isInFile({ file }) && !file.endsWith(".ipynb") && (name.length > 0 || runner !== undefined);
}

/** Whether a test is in a file. Code at a prompt is not: its reference has `<python>` instead. */
export function isInFile({ file }: Pick<TestRef, "file">): boolean {
  return !/^<\w+>$/.test(file.slice(file.lastIndexOf("/") + 1));
}

/** Returns the source of a regular expression that matches exactly this text, for the engines of all runners. */
export const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Returns "tests/chat.test.ts:12", or the file alone if the line is not known. */
export const formatTestPlace = ({ file, line }: TestRef): string =>
  line === undefined ? file : `${file}:${line}`;

/** Returns "chat › answers in one word"; empty for a call outside of any test of its file. */
export const formatTestTitle = ({ name }: TestRef): string => name.join(" › ");

/** Names the scope of a test's counters: one execution of the test if it is known, otherwise the test. */
export const getTestScope = (test: TestRef): string =>
  test.execution ?? `${test.file}\n${test.name.join("\n")}`;
