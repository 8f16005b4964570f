import { readFields, readText, stringifyJson, type Fields } from "../../base/lenient.ts";
import { createMediaAt } from "../base/media.ts";
import { createTextPart } from "../base/parts.ts";
import type { ConversationMessage } from "../base/protocol.ts";
import { composeRanks, describeRanks, RANKING } from "./judged.ts";
import { createListReply, EMPTY_LIST, formatFacts, type OperationRow, type RowReply } from "./row.ts";
import { createResource, makeRows } from "./rows.ts";
import { getFieldText, getValuesAt, type RequestContent } from "./sent.ts";
import { composeVector, readVectors } from "./vectors.ts";

/**
 * Resources of Anthropic's managed agents. Source: @anthropic-ai/sdk 1.14 `resources/` and `resources/beta/` (agents, sessions,
 * environments, skills, memory stores, deployments, dreams, vaults, user profiles), 2026-11.
 */
export const ANTHROPIC_RESOURCES = makeRows(
  createResource("/agents", "create list retrieve update archive"),
  createResource("/agents/:of/versions", "list"),
  createResource("/sessions", "create list retrieve update delete archive", {
    sample: { type: "session", status: "idle" },
  }),
  [
    "sessions.events.create",
    "POST /sessions/:id/events",
    { label: "{/events/*/content/*/text}", sends: [["user", "/events/*/content"]], sample: () => EMPTY_LIST },
  ],
  ["sessions.events.list", "GET /sessions/:id/events"],
  createResource("/sessions/:of/resources", "create list retrieve update delete"),
  createResource("/sessions/:of/threads", "list retrieve archive"),
  ["sessions.threads.events", "GET /sessions/:of/threads/:id/events"],
  createResource("/environments", "create list retrieve update delete archive"),
  ["environments.work.poll", "GET /environments/:id/work/poll", { sample: () => ({}) }],
  ["environments.work.stats", "GET /environments/:id/work/stats", { sample: () => ({}) }],
  createResource("/environments/:of/work", "list retrieve update ack heartbeat stop"),
  createResource("/skills", "create list retrieve delete"),
  createResource("/skills/:of/versions", "create list retrieve delete content"),
  createResource("/memory_stores", "create list retrieve update delete archive"),
  createResource("/memory_stores/:of/memories", "create list retrieve update delete"),
  createResource("/memory_stores/:of/memory_versions", "list retrieve redact"),
  createResource("/deployments", "create list retrieve update run pause unpause archive"),
  createResource("/deployment_runs", "list retrieve"),
  createResource("/dreams", "create list retrieve cancel archive", { sends: [["user", "/instructions"]] }),
  createResource("/vaults", "create list retrieve update delete archive"),
  createResource("/vaults/:of/credentials", "create list retrieve update delete archive mcp_oauth_validate"),
  createResource("/user_profiles", "create list retrieve update delete action_urls enrollment_url"),
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
    { reply: createListReply("asyncInvokeSummaries"), sample: () => ({ asyncInvokeSummaries: [] }) },
  ],
  ["async_invoke.retrieve", "GET /async-invoke/:id", { sample: () => INVOCATION }],
  {
    operation: "guardrails.apply",
    call: "POST /guardrail/:id/version/:of/apply",
    label: "{/content/*/text/text}",
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
    {
      label: "{/messages/*/content/*/text}",
      sends: [["to check", "/messages/*/content"]],
      sample: { results: {}, usage: {} },
    },
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
  createResource("*/fine-tunes", "create list retrieve delete cancel", {
    name: "fine_tunes",
    sample: { output: { status: "SUCCEEDED" } },
  }),
  ["fine_tunes.logs", "GET */fine-tunes/:id/logs", { sample: { output: {} } }],
  createResource("*/deployments", "create list retrieve delete"),
  ["deployments.scale", "PUT */deployments/:id/scale", { sample: { output: {} } }],
  [
    "tasks.list",
    "GET */tasks",
    { reply: createListReply("tasks"), sample: () => ({ page_no: 1, page_size: 10, total: 0, tasks: [] }) },
  ],
  ["tasks.retrieve", "GET */tasks/:id", { sample: task, reply: TASK }],
  ["tasks.cancel", "POST */tasks/:id/cancel", { sample: () => ({ request_id: "tapedeck" }) }],
);
