import { localize } from "../../base/localize.ts";
import type { OperationRow } from "./row.ts";

/** A row as a tuple, because most rows of stored resources have only the first three fields. */
type ShortRow = readonly [
  operation: string,
  call: OperationRow["call"],
  label: OperationRow["label"],
  others?: Partial<OperationRow>,
];

/** How a kind of stored resource differs from most. All but `sample` are those of creating one. */
interface ResourceOptions extends Pick<OperationRow, "prompt" | "sends" | "takes" | "own"> {
  /** The path of the list. Default: the name, with an id between its parts: "/vector_stores/:of/files". */
  readonly path?: string;
  /** Further members of one, in made-up replies. */
  readonly sample?: Exclude<OperationRow["sample"], "content">;
  /** Operations that the API has. Default: all but "content". */
  readonly has?: readonly ("create" | "list" | "retrieve" | "update" | "delete" | "content")[];
  /** The method of an update. Default POST. */
  readonly update?: "POST" | "PATCH";
  /** Names of further actions, which are POST requests below one: "cancel". */
  readonly actions?: readonly string[];
}

/** Operations of resources that cannot be changed. */
export const FIXED = ["create", "list", "retrieve", "delete"] as const;

/** Makes rows from tuples, rows, and lists of rows, in order. */
export const makeRows = (
  ...rows: readonly (ShortRow | OperationRow | readonly OperationRow[])[]
): readonly OperationRow[] =>
  rows.flatMap((row) => {
    if ("operation" in row) return [row];
    if (!isShort(row)) return row;
    const [operation, call, label, others] = row;
    return [{ operation, call, label, ...others }];
  });

const isShort = (row: ShortRow | readonly OperationRow[]): row is ShortRow => typeof row[0] === "string";

/**
 * Makes the rows to create, list, read, change, and delete a stored resource, and those of its actions. `name` begins the
 * operations' names ("vector_stores"); `noun` is the name of one for people ("vector store").
 */
export function createResource(
  name: string,
  noun: string,
  {
    path,
    sample,
    has = [...FIXED, "update"],
    update = "POST",
    actions = [],
    ...request
  }: ResourceOptions = {},
): readonly OperationRow[] {
  const list = path ?? `/${name.replaceAll(".", "/:of/")}`;
  const title = (): string => localize(noun);
  const created = [...TITLES, "{files}", () => localize("new {0}", title())];
  const one = sample ? { sample } : {};
  const rows: Readonly<Record<(typeof has)[number], ShortRow>> = {
    create: ["create", `POST ${list}`, created, { ...one, ...request }],
    list: ["list", `GET ${list}`, () => localize("list of kind: {0}", title())],
    retrieve: ["retrieve", `GET ${list}/:id`, () => `${title()} :id`, one],
    update: ["update", `${update} ${list}/:id`, () => localize("change {0} :id", title()), one],
    delete: ["delete", `DELETE ${list}/:id`, () => localize("delete {0} :id", title())],
    content: ["content", `GET ${list}/:id/content`, "content of :id", { sample: "content" }],
  };
  const further = actions.map((action): ShortRow => [
    action,
    `POST ${list}/:id/${action}`,
    () => `${action}: ${title()} :id`,
    one,
  ]);
  return makeRows(...has.map((kind) => rows[kind]), ...further).map((row) => ({
    ...row,
    operation: `${name}.${row.operation}`,
  }));
}

const TITLES = ["{/prompt}", "{/name}", "{/title}", "{/displayName}", "{/display_name}"];
