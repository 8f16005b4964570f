import { localize } from "../../base/localize.ts";
import type { OperationRow } from "./row.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import type { RequestContent, Sends, Takes } from "./sent.ts";

/** The differences between kinds of stored resources. */
interface Resource {
  /** The beginning of the operations' names: "vector_stores". */
  readonly name: string;
  /** The path of the list: "/vector_stores". */
  readonly path: string;
  /** Returns the name of one for people: "vector store". */
  readonly noun: () => string;
  /** Further members of one, in made-up replies. */
  readonly sample?: object;
  /** What creating one sends to a model. */
  readonly sends?: readonly Sends[];
  readonly takes?: Takes;
  /** Operations that the API has. Default: all. */
  readonly has?: readonly ("create" | "list" | "retrieve" | "update" | "delete")[];
  /** The method of an update. Default POST. */
  readonly update?: "POST" | "PATCH";
  /** Names of further actions, which are POST requests below one: "cancel". */
  readonly actions?: readonly string[];
}

const ALL = ["create", "list", "retrieve", "update", "delete"] as const;

export const list = (): object => ({
  object: "list",
  data: [],
  has_more: false,
  first_id: null,
  last_id: null,
  next_page: null,
});

/** Makes the rows of a resource: to create, list, read, change, and delete it, and its actions. */
export function createRows(resource: Resource): readonly OperationRow[] {
  const { name, path, noun, sample = {}, sends, takes, has = ALL, update = "POST", actions = [] } = resource;
  const kind = name.split(".").at(-1) ?? name;
  const one = ({ id }: RequestContent): object => ({
    id: id || `${kind}_tapedeck`,
    object: kind,
    created_at: 0,
    ...sample,
  });
  const deletion = ({ id }: RequestContent): object => ({
    id,
    object: "deleted",
    type: "deleted",
    deleted: true,
  });
  const created = [...NAMES, () => localize("new {0}", noun())];
  const rows: Readonly<Record<(typeof ALL)[number], Omit<OperationRow, "operation">>> = {
    create: { call: `POST ${path}`, label: created, sample: one, ...pickDefined({ sends, takes }) },
    list: { call: `GET ${path}`, label: [() => localize("list of kind: {0}", noun())], sample: list },
    retrieve: { call: `GET ${path}/:id`, label: [() => `${noun()} :id`], sample: one },
    update: { call: `${update} ${path}/:id`, label: [() => localize("change {0} :id", noun())], sample: one },
    delete: {
      call: `DELETE ${path}/:id`,
      label: [() => localize("delete {0} :id", noun())],
      sample: deletion,
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

const NAMES = ["{/prompt}", "{/name}", "{files}"];

const content = (operation: string, path: string): OperationRow => ({
  operation,
  call: `GET ${path}`,
  label: "content of :id",
  sample: "content",
});

/**
 * Resources of OpenAI's newer APIs. Source: openai-node 7.59 `resources/` (videos, containers, vector stores, uploads, evals,
 * skills, fine-tuning, agents), 2026-11.
 */
export const OPENAI_RESOURCES: readonly OperationRow[] = [
  ...createRows({
    name: "videos",
    path: "/videos",
    noun: () => localize("video"),
    sample: { status: "completed", progress: 100, model: "sora-2" },
    takes: { what: "A video", needs: ["prompt"], form: true },
    sends: [["user", "/prompt"]],
    has: ["create", "list", "retrieve", "delete"],
  }),
  {
    operation: "videos.remix",
    call: "POST /videos/:id/remix",
    label: ["{/prompt}", "remix video :id"],
    sends: [["user", "/prompt"]],
    sample: ({ id }) => ({ id: `${id}_remix`, object: "video", status: "completed", progress: 100 }),
  },
  content("videos.content", "/videos/:id/content"),
  ...createRows({
    name: "vector_stores",
    path: "/vector_stores",
    noun: () => localize("vector store"),
    sample: { status: "completed", file_counts: { total: 0 } },
  }),
  {
    operation: "vector_stores.search",
    call: "POST /vector_stores/:id/search",
    label: ["{/query}", "search of vector store :id"],
    sends: [["user", "/query"]],
    sample: () => ({
      object: "vector_store.search_results.page",
      search_query: [],
      data: [],
      has_more: false,
      next_page: null,
    }),
  },
  ...createRows({
    name: "vector_stores.files",
    path: "/vector_stores/:of/files",
    noun: () => localize("file of the vector store"),
    sample: { status: "completed" },
  }),
  content("vector_stores.files.content", "/vector_stores/:of/files/:id/content"),
  ...createRows({
    name: "vector_stores.file_batches",
    path: "/vector_stores/:of/file_batches",
    noun: () => localize("file batch"),
    sample: { status: "completed", file_counts: { total: 0 } },
    has: ["create", "retrieve"],
    actions: ["cancel"],
  }),
  ...createRows({
    name: "containers",
    path: "/containers",
    noun: () => localize("container"),
    sample: { status: "running" },
    has: ["create", "list", "retrieve", "delete"],
  }),
  ...createRows({
    name: "containers.files",
    path: "/containers/:of/files",
    noun: () => localize("file of the container"),
    has: ["create", "list", "retrieve", "delete"],
  }),
  content("containers.files.content", "/containers/:of/files/:id/content"),
  ...createRows({
    name: "uploads",
    path: "/uploads",
    noun: () => localize("upload"),
    sample: { status: "pending" },
    has: ["create"],
    actions: ["parts", "complete", "cancel"],
  }),
  ...createRows({
    name: "evals.runs",
    path: "/evals/:of/runs",
    noun: () => localize("run of the eval"),
    sample: { status: "completed" },
    has: ["create", "list", "retrieve", "delete"],
    actions: ["cancel"],
  }),
  ...createRows({ name: "evals", path: "/evals", noun: () => localize("eval") }),
  ...createRows({ name: "skills", path: "/skills", noun: () => localize("skill") }),
  ...createRows({
    name: "skills.versions",
    path: "/skills/:of/versions",
    noun: () => localize("version of the skill"),
    has: ["create", "list", "retrieve", "delete"],
  }),
  ...createRows({
    name: "fine_tuning.jobs",
    path: "/fine_tuning/jobs",
    noun: () => localize("fine-tuning job"),
    sample: { status: "succeeded" },
    has: ["create", "list", "retrieve"],
    actions: ["cancel", "pause", "resume"],
  }),
  {
    operation: "fine_tuning.jobs.events",
    call: "GET /fine_tuning/jobs/:id/events",
    label: "events of fine-tuning job :id",
    sample: list,
  },
  ...createRows({
    name: "agents.sessions",
    path: "/agents/sessions",
    noun: () => localize("agent session"),
    sample: { status: "idle" },
  }),
  {
    operation: "agents.sessions.events.create",
    call: "POST /agents/sessions/:id/events",
    label: ["{/text}", "{/input}", "event for agent session :id"],
    sends: [["user", "/events/*/content", "/events/*/input"]],
    sample: list,
  },
  {
    operation: "agents.sessions.items",
    call: "GET /agents/sessions/:id/items",
    label: "items of agent session :id",
    sample: list,
  },
  {
    operation: "agents.sessions.turns",
    call: "GET /agents/sessions/:id/turns",
    label: "turns of agent session :id",
    sample: list,
  },
  ...createRows({
    name: "agents.environments.templates",
    path: "/agents/environments/templates",
    noun: () => localize("environment template"),
  }),
  ...createRows({
    name: "agents.environments",
    path: "/agents/environments",
    noun: () => localize("agent environment"),
    has: ["list", "retrieve"],
  }),
  ...createRows({
    name: "agents.automations",
    path: "/agents/automations",
    noun: () => localize("automation"),
    actions: ["pause", "resume"],
  }),
  ...createRows({ name: "agents", path: "/agents", noun: () => localize("agent") }),
];
