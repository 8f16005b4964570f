import { localize } from "../../base/localize.ts";
import { createRows, list } from "./resources.ts";
import type { OperationRow } from "./row.ts";
import type { RequestContent } from "./sent.ts";

/**
 * Resources of Anthropic's managed agents. Source: @anthropic-ai/sdk 1.14 `resources/beta/` (agents, sessions, environments,
 * skills, memory stores, deployments), 2026-11.
 */
export const ANTHROPIC_RESOURCES: readonly OperationRow[] = [
  ...createRows({
    name: "agents",
    path: "/agents",
    noun: () => localize("agent"),
    has: ["create", "list", "retrieve", "update"],
    actions: ["archive"],
  }),
  ...createRows({
    name: "sessions",
    path: "/sessions",
    noun: () => localize("session"),
    sample: { type: "session", status: "idle" },
    actions: ["archive"],
  }),
  {
    operation: "sessions.events.create",
    call: "POST /sessions/:id/events",
    label: ["{/events/0/content/0/text}", "event for session :id"],
    sends: [["user", "/events/*/content"]],
    sample: list,
  },
  {
    operation: "sessions.events.list",
    call: "GET /sessions/:id/events",
    label: "events of session :id",
    sample: list,
  },
  ...createRows({
    name: "sessions.resources",
    path: "/sessions/:of/resources",
    noun: () => localize("resource of the session"),
  }),
  ...createRows({
    name: "environments",
    path: "/environments",
    noun: () => localize("environment"),
    actions: ["archive"],
  }),
  ...createRows({
    name: "skills",
    path: "/skills",
    noun: () => localize("skill"),
    has: ["create", "list", "retrieve", "delete"],
  }),
  ...createRows({
    name: "skills.versions",
    path: "/skills/:of/versions",
    noun: () => localize("version of the skill"),
    has: ["create", "list", "retrieve", "delete"],
  }),
  ...createRows({
    name: "memory_stores",
    path: "/memory_stores",
    noun: () => localize("memory store"),
    actions: ["archive"],
  }),
  ...createRows({
    name: "memory_stores.memories",
    path: "/memory_stores/:of/memories",
    noun: () => localize("memory"),
  }),
  ...createRows({
    name: "deployments",
    path: "/deployments",
    noun: () => localize("deployment"),
    has: ["create", "list", "retrieve", "update"],
    actions: ["run", "pause", "unpause", "archive"],
  }),
];

const operation = ({ id }: RequestContent): object => ({
  name: `operations/${id || "tapedeck"}`,
  done: true,
  response: {},
});

/**
 * Resources of the Gemini API and Vertex AI. Source: js-genai 3.3 (caches, files, batches, operations, file search stores,
 * tunings), 2026-11.
 */
export const GEMINI_RESOURCES: readonly OperationRow[] = [
  ...createRows({
    name: "caches",
    path: "*/cachedContents",
    noun: () => localize("cache"),
    sample: { name: "cachedContents/tapedeck" },
    update: "PATCH",
  }),
  {
    operation: "files.upload",
    call: "POST */upload/v\\d\\w*/files",
    label: ["{files}", "{/file/display_name}", "upload of file"],
    sample: () => ({ file: { name: "files/tapedeck", state: "ACTIVE", uri: "files/tapedeck" } }),
  },
  ...createRows({
    name: "files",
    path: "/files",
    noun: () => localize("file"),
    sample: { name: "files/tapedeck", state: "ACTIVE" },
    has: ["list", "retrieve", "delete"],
  }),
  ...createRows({
    name: "batches",
    path: "/batches",
    noun: () => localize("batch"),
    sample: { name: "batches/tapedeck", metadata: { state: "BATCH_STATE_SUCCEEDED" } },
    has: ["list", "retrieve", "delete"],
  }),
  {
    operation: "batches.cancel",
    call: "POST /batches/:id:cancel",
    label: "cancel batch :id",
    sample: () => ({}),
  },
  {
    operation: "batches.create",
    call: "POST */models/:model:batchGenerateContent",
    label: ["{/batch/display_name}", "new batch"],
    sends: [["user", "/batch/input_config/requests/requests/*/request/contents/*/parts"]],
    sample: operation,
  },
  {
    operation: "videos.generate",
    call: "POST */models/:model:predictLongRunning",
    label: ["{/instances/0/prompt}", "video"],
    sends: [["user", "/instances/*/prompt"]],
    sample: operation,
  },
  {
    operation: "images.predict",
    call: "POST */models/:model:predict",
    label: ["{/instances/0/prompt}", "prediction"],
    sends: [["user", "/instances/*/prompt"]],
    sample: () => ({ predictions: [] }),
  },
  {
    operation: "operations.retrieve",
    call: "GET */operations/:id",
    label: "operation :id",
    sample: operation,
  },
  ...createRows({
    name: "file_search_stores",
    path: "/fileSearchStores",
    noun: () => localize("file search store"),
    sample: { name: "fileSearchStores/tapedeck" },
    has: ["create", "list", "retrieve", "delete"],
  }),
  ...createRows({
    name: "tunings",
    path: "*/tuningJobs",
    noun: () => localize("tuning job"),
    sample: { name: "tuningJobs/tapedeck", state: "JOB_STATE_SUCCEEDED" },
    has: ["create", "list", "retrieve"],
  }),
  { operation: "models.list", call: "GET /models", label: "list of models", sample: () => ({ models: [] }) },
];

/** Bedrock's asynchronous invocations. Source: botocore 1.44 `bedrock-runtime` (`StartAsyncInvoke`), 2026-11. */
export const BEDROCK_RESOURCES: readonly OperationRow[] = [
  {
    operation: "async_invoke.start",
    call: "POST /async-invoke",
    label: [
      "{/modelInput/textToVideoParams/text}",
      "{/modelInput/prompt}",
      "asynchronous invocation of {/modelId}",
    ],
    sends: [["user", "/modelInput/textToVideoParams/text", "/modelInput/prompt"]],
    sample: () => ({ invocationArn: "arn:aws:bedrock:us-east-1:000000000000:async-invoke/tapedeck" }),
  },
  {
    operation: "async_invoke.list",
    call: "GET /async-invoke",
    label: "list of asynchronous invocations",
    sample: () => ({ asyncInvokeSummaries: [] }),
  },
  {
    operation: "async_invoke.retrieve",
    call: "GET /async-invoke/:id",
    label: "asynchronous invocation :id",
    sample: ({ id }) => ({ invocationArn: id, status: "Completed" }),
  },
];

const task = (): object => ({
  request_id: "tapedeck",
  output: { task_id: "tapedeck", task_status: "SUCCEEDED" },
});

/** DashScope's other operations. Source: dashscope-sdk-python 2.0 (`aigc`, `embeddings`, `rerank`, `app`), 2026-11. */
export const DASHSCOPE_RESOURCES: readonly OperationRow[] = [
  {
    operation: "images.generate",
    call: "POST */services/aigc/text2image/:id",
    label: ["{/input/prompt}", "image"],
    sends: [["user", "/input/prompt"]],
    sample: task,
  },
  {
    operation: "videos.generate",
    call: "POST */services/aigc/video-generation/:id",
    label: ["{/input/prompt}", "video"],
    sends: [["user", "/input/prompt"]],
    sample: task,
  },
  {
    operation: "embeddings",
    call: "POST */services/embeddings/:of/:id",
    label: ["{#/input/texts text} to embed", "{#/input/contents content} to embed"],
    sends: [["to embed", "/input/texts", "/input/contents"]],
    sample: () => ({ request_id: "tapedeck", output: { embeddings: [] } }),
  },
  {
    operation: "rerank",
    call: "POST */services/rerank/:of/:id",
    label: ["{/input/query}", "documents to rank"],
    sends: [
      ["user", "/input/query"],
      ["to rank", "/input/documents"],
    ],
    sample: () => ({ request_id: "tapedeck", output: { results: [] } }),
  },
  {
    operation: "apps.complete",
    call: "POST */apps/:id/completion",
    label: ["{/input/prompt}", "completion of app :id"],
    sends: [["user", "/input/prompt"]],
    sample: (_sent, { text }) => ({ request_id: "tapedeck", output: { text, finish_reason: "stop" } }),
  },
  { operation: "tasks.retrieve", call: "GET */tasks/:id", label: "task :id", sample: task },
  { operation: "tasks.cancel", call: "POST */tasks/:id/cancel", label: "cancel task :id", sample: task },
];
