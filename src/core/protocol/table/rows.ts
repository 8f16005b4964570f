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

/** A kind of stored resource, which has a row for each of its operations. `sends` and `takes` are those of creating one. */
interface Resource extends Pick<OperationRow, "sends" | "takes"> {
  /** The beginning of the operations' names: "vector_stores". */
  readonly name: string;
  /** The path of the list: "/vector_stores". */
  readonly path: string;
  /** Returns the name of one for people: "vector store". */
  readonly noun: () => string;
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

/** Makes rows from tuples and from kinds of resources, in order. */
export const makeRows = (...rows: readonly (ShortRow | Resource | OperationRow)[]): readonly OperationRow[] =>
  rows.flatMap((row) => {
    if ("noun" in row) return resourceRows(row);
    if ("operation" in row) return [row];
    const [operation, call, label, sample, others] = row;
    return [{ operation, call, label, sample, ...others }];
  });

/** Makes the rows to create, list, read, change, and delete a resource, and those of its actions. */
function resourceRows(resource: Resource): readonly OperationRow[] {
  const { name, path, noun, sample = {}, has = ALL, update = "POST", actions = [], ...request } = resource;
  const kind = name.split(".").at(-1) ?? name;
  const one = ({ id }: RequestContent): object => ({
    id: id || `${kind}_tapedeck`,
    object: kind,
    created_at: 0,
    ...sample,
  });
  const label = ["{/prompt}", "{/name}", "{files}", () => localize("new {0}", noun())];
  const rows: Readonly<Record<(typeof ALL)[number], Omit<OperationRow, "operation">>> = {
    create: { call: `POST ${path}`, label, sample: one, ...request },
    list: { call: `GET ${path}`, label: [() => localize("list of kind: {0}", noun())], sample: composePage },
    retrieve: { call: `GET ${path}/:id`, label: [() => `${noun()} :id`], sample: one },
    update: { call: `${update} ${path}/:id`, label: [() => localize("change {0} :id", noun())], sample: one },
    delete: {
      call: `DELETE ${path}/:id`,
      label: [() => localize("delete {0} :id", noun())],
      sample: composeDeletion,
    },
  };
  return [
    ...has.map((operation) => ({ operation: `${name}.${operation}`, ...rows[operation] })),
    ...actions.map((action): OperationRow => ({
      operation: `${name}.${action}`,
      call: `POST ${path}/:id/${action}`,
      label: [() => `${action}: ${noun()} :id`],
      sample: one,
    })),
  ];
}

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
