import type { TestRef } from "./call.ts";

/** A test's file and titles. */
type NamedTest = Pick<TestRef, "file" | "name">;

/** What names a test, the same for all of its executions; "" for calls of no known test. */
export const getTestId = (test: NamedTest | undefined): string =>
  test === undefined ? "" : JSON.stringify([test.file, test.name]);

/** pytest shows the parameters of a case behind the name of its function: `test_x[a]`. */
export const withoutCase = (title: string): string => title.replace(/\[.*$/s, "");

/** The titles under which a test's file declares it: a case of pytest's is one of its function's. */
export function getDeclaredName({ file, name }: NamedTest): readonly string[] {
  return file.endsWith(".py") ? name.map(withoutCase) : name;
}

/** Whether `one` is `other`, or a case of it. */
export function isSameTestOrCase(one: NamedTest, other: NamedTest): boolean {
  if (one.file !== other.file) return false;
  const wanted = JSON.stringify(other.name);
  return JSON.stringify(one.name) === wanted || JSON.stringify(getDeclaredName(one)) === wanted;
}

/** Whether it is what no runner knows as a test: a script, a file's own code, a notebook's cell. */
export function isOutsideTests({ file, name }: NamedTest): boolean {
  return name.length === 0 || file.endsWith(".ipynb") || !isInFile({ file });
}

/** Whether a runner can run it again: no script, cell or prompt, but a file's own code that tests load. */
export function isRunByTests({ file, name, runner }: Pick<TestRef, "file" | "name" | "runner">): boolean {
  return isInFile({ file }) && !file.endsWith(".ipynb") && (name.length > 0 || runner !== undefined);
}

/** Whether a test is in a file. Code at a prompt is not: its reference has `<python>` instead. */
export function isInFile({ file }: Pick<TestRef, "file">): boolean {
  return !/^<\w+>$/.test(file.slice(file.lastIndexOf("/") + 1));
}

/** The source of a regular expression that matches exactly this text, in every runner's engine. */
export const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Returns "tests/chat.test.ts:12", or the file alone if the line is not known. */
export const formatTestPlace = ({ file, line }: TestRef): string =>
  line === undefined ? file : `${file}:${line}`;

/** Returns "chat › answers in one word"; empty for a call outside of any test of its file. */
export const formatTestTitle = ({ name }: TestRef): string => name.join(" › ");

/** Names the scope of a test's counters: one execution of the test if it is known, otherwise the test. */
export const getTestScope = (test: TestRef): string =>
  test.execution ?? `${test.file}\n${test.name.join("\n")}`;
