import { localize } from "../../base/localize.ts";
import { readFields, readText, stringifyJson, type Fields } from "../../base/lenient.ts";
import { createMediaAt } from "../base/media.ts";
import { createTextPart } from "../base/parts.ts";
import type { ConversationMessage } from "../base/protocol.ts";
import { composeRanks, describeRanks } from "./judged.ts";
import { createListReply, formatFacts, type OperationRow, type RowReply } from "./row.ts";
import { composePage, makeRows } from "./rows.ts";
import { getFieldText, getValuesAt, type RequestContent } from "./sent.ts";
import { composeVector, readVectors } from "./vectors.ts";

/**
 * Resources of Anthropic's managed agents. Source: @anthropic-ai/sdk 1.14 `resources/beta/` (agents, sessions, environments,
 * skills, memory stores, deployments), 2026-11.
 */
export const ANTHROPIC_RESOURCES = makeRows(
  {
    name: "agents",
    path: "/agents",
    noun: () => localize("agent"),
    has: ["create", "list", "retrieve", "update"],
    actions: ["archive"],
  },
  {
    name: "sessions",
    path: "/sessions",
    noun: () => localize("session"),
    sample: { type: "session", status: "idle" },
    actions: ["archive"],
  },
  {
    operation: "sessions.events.create",
    call: "POST /sessions/:id/events",
    label: ["{/events/*/content/*/text}", "event for session :id"],
    sends: [["user", "/events/*/content"]],
    sample: composePage,
  },
  ["sessions.events.list", "GET /sessions/:id/events", "events of session :id", composePage],
  {
    name: "sessions.resources",
    path: "/sessions/:of/resources",
    noun: () => localize("resource of the session"),
  },
  {
    name: "environments",
    path: "/environments",
    noun: () => localize("environment"),
    actions: ["archive"],
  },
  {
    name: "skills",
    path: "/skills",
    noun: () => localize("skill"),
    has: ["create", "list", "retrieve", "delete"],
  },
  {
    name: "skills.versions",
    path: "/skills/:of/versions",
    noun: () => localize("version of the skill"),
    has: ["create", "list", "retrieve", "delete"],
  },
  {
    name: "memory_stores",
    path: "/memory_stores",
    noun: () => localize("memory store"),
    actions: ["archive"],
  },
  {
    name: "memory_stores.memories",
    path: "/memory_stores/:of/memories",
    noun: () => localize("memory"),
  },
  {
    name: "deployments",
    path: "/deployments",
    noun: () => localize("deployment"),
    has: ["create", "list", "retrieve", "update"],
    actions: ["run", "pause", "unpause", "archive"],
  },
);

const operation = ({ id }: RequestContent): object => ({
  name: `operations/${id || "tapedeck"}`,
  done: true,
  response: {},
});

/**
 * Resources of the Gemini API and Vertex AI. Source: js-genai 3.3 (caches, files, batches, operations, file search stores,
 * tunings), 2026-11.
 */
export const GEMINI_RESOURCES = makeRows(
  {
    name: "caches",
    path: "*/cachedContents",
    noun: () => localize("cache"),
    sample: { name: "cachedContents/tapedeck" },
    update: "PATCH",
  },
  {
    operation: "files.upload",
    call: "POST */upload/v\\d\\w*/files",
    label: ["{files}", "{/file/display_name}", "upload of file"],
    sample: () => ({ file: { name: "files/tapedeck", state: "ACTIVE", uri: "files/tapedeck" } }),
  },
  {
    name: "files",
    path: "/files",
    noun: () => localize("file"),
    sample: { name: "files/tapedeck", state: "ACTIVE" },
    has: ["list", "retrieve", "delete"],
  },
  {
    name: "batches",
    path: "/batches",
    noun: () => localize("batch"),
    sample: { name: "batches/tapedeck", metadata: { state: "BATCH_STATE_SUCCEEDED" } },
    has: ["list", "retrieve", "delete"],
  },
  ["batches.cancel", "POST /batches/:id:cancel", "cancel batch :id", () => ({})],
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
  ["operations.retrieve", "GET */operations/:id", "operation :id", operation],
  {
    name: "file_search_stores",
    path: "/fileSearchStores",
    noun: () => localize("file search store"),
    sample: { name: "fileSearchStores/tapedeck" },
    has: ["create", "list", "retrieve", "delete"],
  },
  {
    name: "tunings",
    path: "*/tuningJobs",
    noun: () => localize("tuning job"),
    sample: { name: "tuningJobs/tapedeck", state: "JOB_STATE_SUCCEEDED" },
    has: ["create", "list", "retrieve"],
  },
  ["models.list", "GET /models", "list of models", () => ({ models: [] })],
);

/**
 * Pointers to the prompts of Nova Reel and Luma Ray. botocore does not describe the members of `modelInput`.
 * Sources: docs.aws.amazon.com/nova/latest/userguide/video-gen-access.html and
 * docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-luma.html, 2026-11.
 */
const VIDEO_PROMPTS = [
  "/modelInput/textToVideoParams/text",
  "/modelInput/multiShotAutomatedParams/text",
  "/modelInput/multiShotManualParams/shots/*/text",
  "/modelInput/prompt",
];
const INVOCATION = "arn:aws:bedrock:us-east-1:000000000000:async-invoke/tapedeck0000";

/**
 * Bedrock's asynchronous invocations. Source: botocore 1.44 `bedrock-runtime/2023-09-30/service-2.json`, 2026-11.
 */
export const BEDROCK_RESOURCES = makeRows(
  {
    operation: "async_invoke.start",
    call: "POST /async-invoke",
    model: "/modelId",
    label: [...VIDEO_PROMPTS.map((pointer) => `{${pointer}}`), "asynchronous invocation of {/modelId}"],
    sends: [["user", ...VIDEO_PROMPTS]],
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
);

const task = ({ id }: RequestContent): object => ({
  request_id: "tapedeck",
  output: { task_id: id || "tapedeck", task_status: "SUCCEEDED" },
});

/** A task that was started, or its state with the places of its results. */
const TASK: RowReply = { members: ["output"], says: describeTask };

const isTask = ({ output }: Fields): boolean => readText(readFields(output)["task_id"]) !== undefined;

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

/** Where the requests of DashScope's native API have the model and the settings. */
const DASHSCOPE_REQUEST: Pick<OperationRow, "model" | "settingsIn"> = {
  model: "/model",
  settingsIn: "input",
};
const VECTORS = readVectors(["output"], "/output/embeddings/*/embedding", "/output/embedding");

/**
 * DashScope's other operations. Pictures, videos, and embeddings of files are tasks. Sources: dashscope 2.0.2 (PyPI)
 * `aigc/`, `embeddings/`, `rerank/`, `client/base_api.py`, and `v2/resources/`, 2026-11.
 */
export const DASHSCOPE_RESOURCES = makeRows(
  {
    operation: "images.generate",
    call: "POST */services/aigc/(?:text2image|image2image|image-generation)/:of",
    ...DASHSCOPE_REQUEST,
    label: ["{/input/prompt}", "{/input/messages/*/content/*/text}", "image"],
    sends: [["user", "/input/prompt", "/input/messages/*/content"]],
    reply: TASK,
    sample: task,
  },
  {
    operation: "videos.generate",
    call: "POST */services/aigc/(?:video-generation|image2video)/:of",
    ...DASHSCOPE_REQUEST,
    label: ["{/input/prompt}", "video"],
    sends: [["user", "/input/prompt"]],
    reply: TASK,
    sample: task,
  },
  {
    operation: "embeddings",
    call: "POST */services/embeddings/(?:text-embedding|multimodal-embedding)/:of",
    ...DASHSCOPE_REQUEST,
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
    ...DASHSCOPE_REQUEST,
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
    sample({ fields }) {
      const [most] = getValuesAt(fields, "/parameters/top_n");
      const results = composeRanks(getValuesAt(fields, "/input/documents/*"), most);
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
  ["tasks.retrieve", "GET */tasks/:id", "task :id", task, { reply: TASK }],
  ["tasks.cancel", "POST */tasks/:id/cancel", "cancel task :id", () => ({ request_id: "tapedeck" })],
);
