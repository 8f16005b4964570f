import { readFields, readText, stringifyJson, type Fields } from "../../base/lenient.ts";
import { createMediaAt } from "../base/media.ts";
import { createTextPart } from "../base/parts.ts";
import type { ConversationMessage } from "../base/protocol.ts";
import { composeRanks, describeRanks, RANKING } from "./judged.ts";
import { createListReply, EMPTY_LIST, formatFacts, type OperationRow, type RowReply } from "./row.ts";
import { createResource, FIXED, makeRows } from "./rows.ts";
import { getFieldText, getValuesAt, type RequestContent } from "./sent.ts";
import { composeVector, readVectors } from "./vectors.ts";

/**
 * Resources of Anthropic's managed agents. Source: @anthropic-ai/sdk 1.14 `resources/` and `resources/beta/` (agents, sessions,
 * environments, skills, memory stores, deployments, dreams, vaults, user profiles), 2026-11.
 */
export const ANTHROPIC_RESOURCES = makeRows(
  createResource("agents", "agent", { has: ["create", "list", "retrieve", "update"], actions: ["archive"] }),
  createResource("agents.versions", "version of the agent", { has: ["list"] }),
  createResource("sessions", "session", {
    sample: { type: "session", status: "idle" },
    actions: ["archive"],
  }),
  [
    "sessions.events.create",
    "POST /sessions/:id/events",
    ["{/events/*/content/*/text}", "event for session :id"],
    { sends: [["user", "/events/*/content"]], sample: () => EMPTY_LIST },
  ],
  ["sessions.events.list", "GET /sessions/:id/events", "events of session :id"],
  createResource("sessions.resources", "resource of the session"),
  createResource("sessions.threads", "thread of the session", {
    has: ["list", "retrieve"],
    actions: ["archive"],
  }),
  ["sessions.threads.events", "GET /sessions/:of/threads/:id/events", "events of thread :id"],
  createResource("environments", "environment", { actions: ["archive"] }),
  [
    "environments.work.poll",
    "GET /environments/:id/work/poll",
    "work for environment :id",
    { sample: () => ({}) },
  ],
  [
    "environments.work.stats",
    "GET /environments/:id/work/stats",
    "work for environment :id",
    { sample: () => ({}) },
  ],
  createResource("environments.work", "work of the environment", {
    has: ["list", "retrieve", "update"],
    actions: ["ack", "heartbeat", "stop"],
  }),
  createResource("skills", "skill", { has: FIXED }),
  createResource("skills.versions", "version of the skill", { has: [...FIXED, "content"] }),
  createResource("memory_stores", "memory store", { actions: ["archive"] }),
  createResource("memory_stores.memories", "memory"),
  createResource("memory_stores.memory_versions", "version of the memory", {
    has: ["list", "retrieve"],
    actions: ["redact"],
  }),
  createResource("deployments", "deployment", {
    has: ["create", "list", "retrieve", "update"],
    actions: ["run", "pause", "unpause", "archive"],
  }),
  createResource("deployment_runs", "run of the deployment", { has: ["list", "retrieve"] }),
  createResource("dreams", "dream", {
    has: ["create", "list", "retrieve"],
    actions: ["cancel", "archive"],
    sends: [["user", "/instructions"]],
  }),
  createResource("vaults", "vault", { actions: ["archive"] }),
  createResource("vaults.credentials", "credential in the vault", {
    actions: ["archive", "mcp_oauth_validate"],
  }),
  createResource("user_profiles", "user profile", { actions: ["action_urls", "enrollment_url"] }),
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
const INVOCATION = {
  invocationArn: "arn:aws:bedrock:us-east-1:000000000000:async-invoke/tapedeck0000",
  modelArn: "arn:aws:bedrock:us-east-1::foundation-model/tapedeck",
  status: "Completed",
  submitTime: "1970-01-01T00:00:00Z",
  outputDataConfig: { s3OutputDataConfig: { s3Uri: "s3://tapedeck" } },
};

/**
 * Bedrock's asynchronous invocations and guardrails. Source: botocore 1.44 `bedrock-runtime/2023-09-30/service-2.json`, 2026-11.
 */
export const BEDROCK_RESOURCES = makeRows(
  {
    operation: "async_invoke.start",
    call: "POST /async-invoke",
    model: "/modelId",
    label: "asynchronous invocation of {/modelId}",
    prompt: VIDEO_PROMPTS,
    settingsIn: "modelInput",
    sample: () => INVOCATION,
  },
  [
    "async_invoke.list",
    "GET /async-invoke",
    "list of asynchronous invocations",
    { reply: createListReply("asyncInvokeSummaries"), sample: () => ({ asyncInvokeSummaries: [] }) },
  ],
  [
    "async_invoke.retrieve",
    "GET /async-invoke/:id",
    "asynchronous invocation :id",
    { sample: () => INVOCATION },
  ],
  {
    operation: "guardrails.apply",
    call: "POST /guardrail/:id/version/:of/apply",
    label: ["{/content/*/text/text}", "guardrail :id"],
    sends: [["to check", "/content/*/text", "/content/*/image"]],
    reply: {
      members: ["action"],
      says: (fields) => {
        const texts = getValuesAt(fields, "/outputs/*/text").map((text) => createTextPart(String(text)));
        return [{ role: "reply", parts: [createTextPart(String(fields["action"])), ...texts] }];
      },
    },
    sample: () => ({ action: "NONE", outputs: [], assessments: [], usage: {} }),
  },
  [
    "guardrails.check",
    "POST /guardrail-checks/invoke",
    ["{/messages/*/content/*/text}", "messages to check"],
    { sends: [["to check", "/messages/*/content"]], sample: { results: {}, usage: {} } },
  ],
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
/** A request that starts a task. */
const DASHSCOPE_TASK = { ...DASHSCOPE_REQUEST, reply: TASK, sample: task };
const VECTORS = readVectors(["output"], "/output/embeddings/*/embedding", "/output/embedding");

/**
 * DashScope's other operations. Pictures, videos, and embeddings of files are tasks. Sources: dashscope 2.0.2 (PyPI)
 * `aigc/`, `embeddings/`, `rerank/`, `client/base_api.py`, and `v2/resources/`, 2026-11.
 */
export const DASHSCOPE_RESOURCES = makeRows(
  {
    operation: "images.generate",
    call: "POST */services/aigc/(?:text2image|image2image|image-generation)/:of",
    ...DASHSCOPE_TASK,
    label: ["{/input/prompt}", "{/input/messages/*/content/*/text}", "image"],
    sends: [["user", "/input/prompt", "/input/messages/*/content"]],
  },
  {
    operation: "videos.generate",
    call: "POST */services/aigc/(?:video-generation|image2video)/:of",
    ...DASHSCOPE_TASK,
    label: "video",
    prompt: ["/input/prompt"],
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
    operation: "audio.transcriptions",
    call: "POST */services/audio/asr/transcription",
    ...DASHSCOPE_TASK,
    label: ["{/input/file_urls/*}", "sound to transcribe"],
    sends: [["to transcribe", "/input/file_urls"]],
  },
  {
    operation: "audio.customization",
    call: "POST */services/audio/(?:asr|tts)/customization",
    ...DASHSCOPE_REQUEST,
    label: ["{/input/action}", "voice or vocabulary"],
    sample: () => ({ request_id: "tapedeck", output: {} }),
  },
  {
    operation: "tokenizer",
    call: "POST */tokenizer",
    ...DASHSCOPE_REQUEST,
    label: ["{/input/prompt}", "{/input/messages/*/content}", "text to cut"],
    sends: [["to cut into tokens", "/input/prompt", "/input/messages/*/content"]],
    sample: () => ({ request_id: "tapedeck", output: {}, usage: { input_tokens: 0 } }),
  },
  { ...RANKING, call: "POST */reranks" },
  createResource("fine_tunes", "fine-tuning job", {
    path: "*/fine-tunes",
    sample: { output: { status: "SUCCEEDED" } },
    has: FIXED,
    actions: ["cancel"],
  }),
  ["fine_tunes.logs", "GET */fine-tunes/:id/logs", "logs of fine-tuning job :id", { sample: { output: {} } }],
  createResource("deployments", "deployment", { path: "*/deployments", has: FIXED }),
  ["deployments.scale", "PUT */deployments/:id/scale", "change deployment :id", { sample: { output: {} } }],
  [
    "tasks.list",
    "GET */tasks",
    "list of tasks",
    { reply: createListReply("tasks"), sample: () => ({ page_no: 1, page_size: 10, total: 0, tasks: [] }) },
  ],
  ["tasks.retrieve", "GET */tasks/:id", "task :id", { sample: task, reply: TASK }],
  [
    "tasks.cancel",
    "POST */tasks/:id/cancel",
    "cancel task :id",
    { sample: () => ({ request_id: "tapedeck" }) },
  ],
);
