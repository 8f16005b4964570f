import { readFields, isFields } from "../core/base/lenient.ts";
import { invalid } from "./errors.ts";
import { showValue, typeName } from "./json/plain.ts";

/** All options of a type, so that the compiler finds missing ones. */
export type KnownOptions<Options> = Readonly<Record<keyof Required<Options>, true>>;

type Words<Names extends string> = Names extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Names;
type AllOf<Wanted, Names extends string> = [Words<Names>, Wanted] extends [Wanted, Words<Names>]
  ? Names
  : never;

/** Lists the options of a type by space-separated names. The compiler rejects missing and extra names. */
export const createOptionChecker =
  <Options>() =>
  <Names extends string>(names: Names & AllOf<keyof Options, Names>): KnownOptions<Options> =>
    Object.fromEntries(names.split(" ").map((name) => [name, true])) as KnownOptions<Options>;

/** Checks options. @throws ChatError "validation" for a value that is not an object, and for an unknown option */
export function expectOptions<Options>(options: Options, known: KnownOptions<Options>): void {
  if (!isFields(options))
    throw invalid("options", `an object of options is expected, got ${typeName(options)}`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const names = Object.keys(known).sort().join(", ");
  throw invalid(`options.${unknown}`, "there is no such option", `The options are ${names}.`);
}

/** Checks that a value is a chat client. @throws ChatError "validation" */
export function expectClient(client: unknown): void {
  if (isFields(client) && typeof client["complete"] === "function" && typeof client["stream"] === "function")
    return;
  throw invalid("client", `a chat client, with complete and stream, is expected, got ${typeName(client)}`);
}

/** Checks that a value is an object, not a list. @throws ChatError "validation" */
export function expectObject(value: unknown, where: string): void {
  if (!isFields(value)) throw invalid(where, `an object is expected, got ${typeName(value)}`);
}

/** Checks that a value is a function. @throws ChatError "validation" */
export function expectFunction(value: unknown, where: string): void {
  if (typeof value !== "function") throw invalid(where, `a function is expected, got ${typeName(value)}`);
}

/** Checks that a value is a list. @throws ChatError "validation" */
export function expectList(value: unknown, where: string): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(where, `a list is expected, got ${typeName(value)}`);
}

/** Checks that a value is a list of objects. @throws ChatError "validation" */
export function expectObjects(value: unknown, where: string): void {
  expectList(value, where);
  for (const [index, item] of value.entries()) expectObject(item, `${where}[${index}]`);
}

/** Checks that a value is a string. @throws ChatError "validation" */
export function expectText(value: unknown, where: string): void {
  if (typeof value !== "string") throw invalid(where, `a text is expected, got ${typeName(value)}`);
}

/** Checks that a table has a name. @throws ChatError "validation" with the names of the table */
export function expectNameIn(table: object, name: unknown, where: string): void {
  if (typeof name === "string" && Object.hasOwn(table, name)) return;
  throw invalid(where, `${showValue(name)} is none of ${Object.keys(table).join(", ")}`);
}

/** Loads a peer dependency. @throws ChatError "validation" with the package to install if it is missing */
export async function loadPeer<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const name = missingPackage(cause);
    if (name === undefined) throw cause;
    const hint = `Install it: npm install ${name}`;
    throw Object.assign(invalid(name, "the package is not installed", hint), { cause });
  }
}

/** Returns the package that a loader did not find; undefined for any other error. */
function missingPackage(error: unknown): string | undefined {
  const { code, message } = readFields(error);
  if (!String(code).endsWith("MODULE_NOT_FOUND")) return undefined;
  return /^[^'"]*['"]((?:@[^/'"]+\/)?[^./'"][^/'"]*)/.exec(String(message))?.[1];
}
