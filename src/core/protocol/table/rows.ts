import { localize } from "../../base/localize.ts";
import type { OperationRow } from "./row.ts";
import type { RequestContent } from "./sent.ts";

/** A row as a tuple, because most rows of stored resources have only the first four fields. */
type ShortRow = readonly [
  operation: string,
  call: OperationRow["call"],
  label: OperationRow["label"],
  sample: OperationRow["sample"],
  others?: Partial<OperationRow>,
];

/** How a kind of stored resource differs from most. `sends`, `takes`, and `own` are those of creating one. */
interface ResourceOptions extends Pick<OperationRow, "sends" | "takes" | "own"> {
  /** The path of the list. Default: the name, with an id between its parts: "/vector_stores/:of/files". */
  readonly path?: string;
  /** Further members of one, in made-up replies. */
  readonly sample?: object;
  /** Operations that the API has. Default: all. */
  readonly has?: readonly (typeof ALL)[number][];
  /** The method of an update. Default POST. */
  readonly update?: "POST" | "PATCH";
  /** Names of further actions, which are POST requests below one: "cancel". */
  readonly actions?: readonly string[];
}

const ALL = ["create", "list", "retrieve", "update", "delete"] as const;

/** Operations of resources that cannot be changed. */
export const FIXED = ["create", "list", "retrieve", "delete"] as const;

/** Makes rows from tuples, rows, and lists of rows, in order. */
export const makeRows = (
  ...rows: readonly (ShortRow | OperationRow | readonly OperationRow[])[]
): readonly OperationRow[] =>
  rows.flatMap((row) => {
    if ("operation" in row) return [row];
    if (!isShort(row)) return row;
    const [operation, call, label, sample, others] = row;
    return [{ operation, call, label, sample, ...others }];
  });

const isShort = (row: ShortRow | readonly OperationRow[]): row is ShortRow => typeof row[0] === "string";

/**
 * Makes the rows to create, list, read, change, and delete a stored resource, and those of its actions. `name` begins the
 * operations' names ("vector_stores"); `noun` is the name of one for people ("vector store").
 */
export function createResource(
  name: string,
  noun: string,
  { path, sample = {}, has = ALL, update = "POST", actions = [], ...request }: ResourceOptions = {},
): readonly OperationRow[] {
  const list = path ?? `/${name.replaceAll(".", "/:of/")}`;
  const kind = name.split(".").at(-1) ?? name;
  const one = ({ id }: RequestContent): object => ({
    id: id || `${kind}_tapedeck`,
    object: kind,
    created_at: 0,
    ...sample,
  });
  const title = (): string => localize(noun);
  const label = [...TITLES, "{files}", () => localize("new {0}", title())];
  const rows: Readonly<Record<(typeof ALL)[number], Omit<OperationRow, "operation">>> = {
    create: { call: `POST ${list}`, label, sample: one, ...request },
    list: { call: `GET ${list}`, label: [() => localize("list of kind: {0}", title())], sample: composePage },
    retrieve: { call: `GET ${list}/:id`, label: [() => `${title()} :id`], sample: one },
    update: {
      call: `${update} ${list}/:id`,
      label: [() => localize("change {0} :id", title())],
      sample: one,
    },
    delete: {
      call: `DELETE ${list}/:id`,
      label: [() => localize("delete {0} :id", title())],
      sample: composeDeletion,
    },
  };
  return [
    ...has.map((operation) => ({ operation: `${name}.${operation}`, ...rows[operation] })),
    ...actions.map((action): OperationRow => ({
      operation: `${name}.${action}`,
      call: `POST ${list}/:id/${action}`,
      label: [() => `${action}: ${title()} :id`],
      sample: one,
    })),
  ];
}

const TITLES = ["{/prompt}", "{/name}", "{/title}", "{/displayName}", "{/display_name}"];

/** Composes an empty list. */
export const composeList = (): object => ({
  object: "list",
  data: [],
  has_more: false,
  first_id: null,
  last_id: null,
});

/** Composes an empty list of an API whose pages have a cursor. */
export const composePage = (): object => ({ ...composeList(), next_page: null });

export const composeDeletion = ({ id }: RequestContent): object => ({
  id,
  object: "deleted",
  type: "deleted",
  deleted: true,
});
