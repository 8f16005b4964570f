import { localize } from "../../base/localize.ts";
import { readCount, readFields, readText, stringifyJson, type Fields } from "../../base/lenient.ts";
import { createMediaAt } from "../base/media.ts";
import { createTextPart } from "../base/parts.ts";
import type { ConversationMessage } from "../base/protocol.ts";
import { describeRanks } from "./judged.ts";
import { createRows, list } from "./resources.ts";
import { createListReply, formatFacts, type OperationRow, type RowReply } from "./row.ts";
import { getFieldText, getValuesAt, type RequestContent } from "./sent.ts";
import { composeVector, readVectors } from "./vectors.ts";

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
    label: ["{/events/*/content/*/text}", "event for session :id"],
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
    label: ["{/instances/*/prompt}", "video"],
    sends: [["user", "/instances/*/prompt"]],
    sample: operation,
  },
  {
    operation: "images.predict",
    call: "POST */models/:model:predict",
    label: ["{/instances/*/prompt}", "prediction"],
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

const INVOCATION = "arn:aws:bedrock:us-east-1:000000000000:async-invoke/tapedeck0000";

/**
 * Bedrock's asynchronous invocations. The model's input is a document in the model's own format: that of Nova Reel, or of
 * Luma Ray. Sources: botocore 1.44 `bedrock-runtime/2023-09-30/service-2.json`, and docs.aws.amazon.com/nova/latest/userguide/video-gen-access.html, 2026-11.
 */
export const BEDROCK_RESOURCES: readonly OperationRow[] = [
  {
    operation: "async_invoke.start",
    call: "POST /async-invoke",
    model: "/modelId",
    label: [
      "{/modelInput/textToVideoParams/text}",
      "{/modelInput/multiShotAutomatedParams/text}",
      "{/modelInput/multiShotManualParams/shots/*/text}",
      "{/modelInput/prompt}",
      "asynchronous invocation of {/modelId}",
    ],
    sends: [
      [
        "user",
        "/modelInput/textToVideoParams/text",
        "/modelInput/multiShotAutomatedParams/text",
        "/modelInput/multiShotManualParams/shots/*/text",
        "/modelInput/prompt",
      ],
    ],
    settingsIn: "modelInput",
    sample: () => ({ invocationArn: INVOCATION }),
  },
  {
    operation: "async_invoke.list",
    call: "GET /async-invoke",
    label: "list of asynchronous invocations",
    reply: createListReply("asyncInvokeSummaries"),
    sample: () => ({ asyncInvokeSummaries: [] }),
  },
  {
    operation: "async_invoke.retrieve",
    call: "GET /async-invoke/:id",
    label: "asynchronous invocation :id",
    sample: ({ id }) => ({
      invocationArn: id || INVOCATION,
      modelArn: "arn:aws:bedrock:us-east-1::foundation-model/tapedeck",
      status: "Completed",
      submitTime: "1970-01-01T00:00:00Z",
      outputDataConfig: { s3OutputDataConfig: { s3Uri: "s3://tapedeck" } },
    }),
  },
];

const task = ({ id }: RequestContent): object => ({
  request_id: "tapedeck",
  output: { task_id: id || "tapedeck", task_status: "SUCCEEDED" },
});

/** A task that was started, or its state with the places of its results. */
const TASK: RowReply = { members: ["output"], says: describeTask };

function describeTask(fields: Fields): readonly ConversationMessage[] {
  const { video_url: video, ...facts } = readFields(fields["output"]);
  const pictures = ["/output/results/*/url", "/output/choices/*/message/content/*/image"];
  const places = [
    ...pictures.flatMap((pointer) => getValuesAt(fields, pointer).map((url) => ["image", url] as const)),
    ["video", video] as const,
  ];
  const results = places.flatMap(([media, url]) =>
    typeof url === "string" && url !== "" ? [createMediaAt(media, url)] : [],
  );
  return [{ role: "reply", parts: [createTextPart(formatFacts(facts)), ...results] }];
}

/** The operations of tasks have their model and input in the same members. */
const GIVEN: Pick<OperationRow, "model" | "settingsIn"> = { model: "/model", settingsIn: "input" };
const VECTORS = readVectors(["output"], "/output/embeddings/*/embedding", "/output/embedding");

/**
 * DashScope's other operations. Pictures, videos, and embeddings of files are tasks. Sources: dashscope 2.0.2 (PyPI)
 * `aigc/`, `embeddings/`, `rerank/`, `client/base_api.py`, and `v2/resources/`, 2026-11.
 */
export const DASHSCOPE_RESOURCES: readonly OperationRow[] = [
  {
    operation: "images.generate",
    call: "POST */services/aigc/(?:text2image|image2image|image-generation)/:of",
    ...GIVEN,
    label: ["{/input/prompt}", "{/input/messages/*/content/*/text}", "image"],
    sends: [["user", "/input/prompt", "/input/messages/*/content"]],
    reply: TASK,
    sample: task,
  },
  {
    operation: "videos.generate",
    call: "POST */services/aigc/(?:video-generation|image2video)/:of",
    ...GIVEN,
    label: ["{/input/prompt}", "video"],
    sends: [["user", "/input/prompt"]],
    reply: TASK,
    sample: task,
  },
  {
    operation: "embeddings",
    call: "POST */services/embeddings/(?:text-embedding|multimodal-embedding)/:of",
    ...GIVEN,
    label: [
      "{#/input/texts text} to embed",
      "{#/input/contents input} to embed",
      "texts in {/input/url} to embed",
    ],
    sends: [["to embed", "/input/texts", "/input/contents", "/input/url"]],
    reply: {
      members: ["output"],
      says: (fields) => (isTask(fields) ? describeTask(fields) : VECTORS.says(fields)),
      usage: ["dashscope", "/usage"],
    },
    sample(sent) {
      const { fields } = sent;
      if (getFieldText(fields, "/input/url") !== undefined) return task(sent);
      const inputs = ["/input/texts/*", "/input/contents/*"].flatMap((place) => getValuesAt(fields, place));
      const [dimension] = getValuesAt(fields, "/parameters/dimension");
      const embeddings = inputs.map((input, index) => ({
        ...(typeof input === "string" ? { text_index: index } : { index }),
        embedding: composeVector(stringifyJson(input), dimension, 1024),
      }));
      return { request_id: "tapedeck", output: { embeddings }, usage: { total_tokens: 0 } };
    },
  },
  {
    operation: "rerank",
    call: "POST */services/rerank/text-rerank/:of",
    ...GIVEN,
    label: ["{/input/query}", "documents to rank"],
    sends: [
      ["user", "/input/query"],
      ["to rank", "/input/documents"],
    ],
    reply: {
      members: ["output"],
      says: ({ output }) => describeRanks(readFields(output)["results"]),
      usage: ["dashscope", "/usage"],
    },
    // Keeps the order of the documents.
    sample({ fields }) {
      const documents = getValuesAt(fields, "/input/documents/*");
      const [most] = getValuesAt(fields, "/parameters/top_n");
      const results = documents
        .slice(0, readCount(most) ?? documents.length)
        .map((_, index) => ({ index, relevance_score: 0 }));
      return { request_id: "tapedeck", output: { results }, usage: { total_tokens: 0 } };
    },
  },
  {
    operation: "tasks.list",
    call: "GET */tasks",
    label: "list of tasks",
    reply: createListReply("tasks"),
    sample: () => ({ request_id: "tapedeck", page_no: 1, page_size: 10, total: 0, tasks: [] }),
  },
  { operation: "tasks.retrieve", call: "GET */tasks/:id", label: "task :id", reply: TASK, sample: task },
  {
    operation: "tasks.cancel",
    call: "POST */tasks/:id/cancel",
    label: "cancel task :id",
    sample: () => ({ request_id: "tapedeck" }),
  },
];

/** Whether a reply names a task. */
const isTask = ({ output }: Fields): boolean => readText(readFields(output)["task_id"]) !== undefined;
