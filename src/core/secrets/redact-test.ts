import type { TestRef } from "../call.ts";
import { redactTexts } from "./redact-call.ts";
import type { Scan } from "./scanner.ts";

/** Titles as a test has them, and its id. */
export type TitledTest = Pick<TestRef, "name" | "joined" | "id">;

/** A long word with a digit, an address, a key's beginning: other texts need no search. */
const WORTH_A_LOOK = /-----BEGIN|:\/\/|(?=\S*\d)\S{12}/;

/** Whether titles may hold a secret; most do not, and the rules need not be loaded for them. */
export function mayHoldSecret({ name, joined = "", id = "" }: TitledTest): boolean {
  return [...name, joined, id].some((text) => WORTH_A_LOOK.test(text));
}

/** A test whose titles and id say no secret; the same where they say none. */
export function redactTest<T extends TitledTest>(test: T, scan: Scan): T {
  if (!mayHoldSecret(test)) return test;
  const { name, joined, id } = test;
  const said = [...name, joined ?? "", id ?? ""];
  const redacted = redactTexts(said, scan);
  if (redacted.every((text, at) => text === said[at])) return test;
  const [joinedNow, idNow] = redacted.slice(name.length);
  return {
    ...test,
    name: redacted.slice(0, name.length),
    ...(joined !== undefined && { joined: joinedNow }),
    ...(id !== undefined && { id: idNow }),
  };
}
