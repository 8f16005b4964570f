import type { Fields } from "../../base/lenient.ts";
import type { OperationRow } from "./row.ts";

/** A row as a tuple, because most rows of stored resources have few other fields. */
type ShortRow = readonly [
  operation: string,
  call: OperationRow["call"],
  others?: Omit<OperationRow, "operation" | "call">,
];

/** Makes rows from tuples, rows, and lists of rows, in order. */
export const makeRows = (
  ...rows: readonly (ShortRow | OperationRow | readonly OperationRow[])[]
): readonly OperationRow[] =>
  rows.flatMap((row) => {
    if ("operation" in row) return [row];
    if (!isShort(row)) return row;
    const [operation, call, others] = row;
    return [{ operation, call, ...others }];
  });

const isShort = (row: ShortRow | readonly OperationRow[]): row is ShortRow => typeof row[0] === "string";

/** The usual operations of a stored resource: the name of each, and its request below the path of the list. */
const USUAL: Readonly<Record<string, readonly [name: string, method: string, below: string]>> = {
  create: ["create", "POST", ""],
  list: ["list", "GET", ""],
  retrieve: ["retrieve", "GET", "/:id"],
  update: ["update", "POST", "/:id"],
  patch: ["update", "PATCH", "/:id"],
  delete: ["delete", "DELETE", "/:id"],
  content: ["content", "GET", "/:id/content"],
};

/** How a kind of stored resource differs from most. */
interface ResourceOptions extends Pick<OperationRow, "label" | "takes" | "sends" | "own"> {
  /** Begins the operations' names. Default: from the path. "/vector_stores/:of/files" is "vector_stores.files". */
  readonly name?: string;
  /** Further members of one, in made-up replies. */
  readonly sample?: Fields;
}

/**
 * Makes the rows of a stored resource. `path` is that of its list; `operations` are the usual ones that the API has, and
 * its further actions, which are POST requests below one: "create list retrieve cancel". Options of requests are those of
 * "create".
 */
export function createResource(
  path: string,
  operations: string,
  { name = nameOf(path), sample, ...request }: ResourceOptions = {},
): readonly OperationRow[] {
  const withMembers = sample && { sample };
  return operations.split(" ").map((word): OperationRow => {
    const [operation, method, below] = USUAL[word] ?? [word, "POST", `/:id/${word}`];
    const row = { operation: `${name}.${operation}`, call: `${method} ${path}${below}` } as OperationRow;
    if (word === "create") return { ...row, ...withMembers, label: TITLES, ...request };
    if (word === "content") return { ...row, sample: "content" };
    return word === "list" || word === "delete" ? row : { ...row, ...withMembers };
  });
}

const nameOf = (path: string): string =>
  path
    .replace(/^\*?\//, "")
    .replaceAll("/:of/", ".")
    .replaceAll("/", ".");

const TITLES = ["{/prompt}", "{/name}", "{/title}", "{/displayName}", "{/display_name}", "{files}"];
