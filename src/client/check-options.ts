import { fieldsOf, isFields } from "../core/base/lenient.ts";
import { invalid } from "./errors.ts";
import { showValue, typeName } from "./json/plain.ts";

/** Every option of a type, so that none is forgotten where they are named. */
export type KnownOptions<Options> = Readonly<Record<keyof Required<Options>, true>>;

type Words<Names extends string> = Names extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Names;
type AllOf<Wanted, Names extends string> = [Words<Names>, Wanted] extends [Wanted, Words<Names>]
  ? Names
  : never;

/** The options of a type by their names, with blanks between: none is missing and none too many, or it is no program. */
export const optionsOf =
  <Options>() =>
  <Names extends string>(names: Names & AllOf<keyof Options, Names>): KnownOptions<Options> =>
    Object.fromEntries(names.split(" ").map((name) => [name, true])) as KnownOptions<Options>;

/** @throws ChatError "validation" for what is no object of options, and for an option that there is not */
export function expectOptions<Options>(options: Options, known: KnownOptions<Options>): void {
  if (!isFields(options))
    throw invalid("options", `an object of options is expected, got ${typeName(options)}`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const names = Object.keys(known).sort().join(", ");
  throw invalid(`options.${unknown}`, "there is no such option", `The options are ${names}.`);
}

/** @throws ChatError "validation" for what no chat client is */
export function expectClient(client: unknown): void {
  if (isFields(client) && typeof client["complete"] === "function" && typeof client["stream"] === "function")
    return;
  throw invalid("client", `a chat client, with complete and stream, is expected, got ${typeName(client)}`);
}

/** @throws ChatError "validation" for what no object is; a list is none */
export function expectObject(value: unknown, where: string): void {
  if (!isFields(value)) throw invalid(where, `an object is expected, got ${typeName(value)}`);
}

/** @throws ChatError "validation" for what cannot be called */
export function expectFunction(value: unknown, where: string): void {
  if (typeof value !== "function") throw invalid(where, `a function is expected, got ${typeName(value)}`);
}

/** @throws ChatError "validation" for what has not these methods */
export function expectMethods(value: unknown, where: string, ...names: readonly string[]): void {
  if (isFields(value) && names.every((name) => typeof value[name] === "function")) return;
  throw invalid(where, `an object with ${names.join(" and ")} is expected, got ${typeName(value)}`);
}

/** @throws ChatError "validation" for what is no stream of anything */
export function expectStream(value: unknown, where: string): void {
  if (isFields(value) && Symbol.asyncIterator in value) return;
  throw invalid(where, `a stream is expected, got ${typeName(value)}`);
}

/** @throws ChatError "validation" for what no list is; a text is none */
export function expectList(value: unknown, where: string): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(where, `a list is expected, got ${typeName(value)}`);
}

/** @throws ChatError "validation" for what no list of objects is */
export function expectObjects(value: unknown, where: string): void {
  expectList(value, where);
  for (const [index, item] of value.entries()) expectObject(item, `${where}[${index}]`);
}

/** @throws ChatError "validation" for what no text is */
export function expectText(value: unknown, where: string): void {
  if (typeof value !== "string") throw invalid(where, `a text is expected, got ${typeName(value)}`);
}

/** @throws ChatError "validation" for what is no name of a table, with those that are */
export function expectNameIn(table: object, name: unknown, where: string): void {
  if (typeof name === "string" && Object.hasOwn(table, name)) return;
  throw invalid(where, `${showValue(name)} is none of ${Object.keys(table).join(", ")}`);
}

/** A package that users bring along. @throws ChatError "validation" that says what to install where it is not there */
export async function peer<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const name = missingPackage(cause);
    if (name === undefined) throw cause;
    const hint = `Install it: npm install ${name}`;
    throw Object.assign(invalid(name, "the package is not installed", hint), { cause });
  }
}

/** The package that a loader did not find, with its scope; undefined for whatever else failed. */
function missingPackage(error: unknown): string | undefined {
  const { code, message } = fieldsOf(error);
  if (!String(code).endsWith("MODULE_NOT_FOUND")) return undefined;
  return /^[^'"]*['"]((?:@[^/'"]+\/)?[^./'"][^/'"]*)/.exec(String(message))?.[1];
}
