import { createResource, FIXED, makeRows } from "./rows.ts";
import type { RequestContent } from "./sent.ts";

const operation = ({ id }: RequestContent): object => ({
  name: `operations/${id || "tapedeck"}`,
  done: true,
  response: {},
});

/**
 * Resources of the Gemini API and Vertex AI. Source: js-genai 3.3 (caches, files, batches, operations, file search stores,
 * tunings, models, agents, environments, triggers, voices, credentials), 2026-11.
 */
export const GEMINI_RESOURCES = makeRows(
  createResource("caches", "cache", {
    path: "*/cachedContents",
    sample: { name: "cachedContents/tapedeck" },
    sends: [
      ["system", "/systemInstruction/parts"],
      ["user", "/contents/*/parts"],
    ],
    update: "PATCH",
  }),
  {
    operation: "files.upload",
    call: "POST */upload/v\\d\\w*/files",
    label: ["{files}", "{/file/display_name}", "{/file/displayName}", "upload of file"],
    sample: () => ({ file: { name: "files/tapedeck", state: "ACTIVE", uri: "files/tapedeck" } }),
  },
  ["files.register", "POST /files:register", "files to register", () => ({ files: [] })],
  ["files.content", "GET /files/:id:download", "content of :id", "content"],
  createResource("files", "file", {
    sample: { name: "files/tapedeck", state: "ACTIVE" },
    has: ["list", "retrieve", "delete"],
  }),
  createResource("batches", "batch", {
    sample: { name: "batches/tapedeck", metadata: { state: "BATCH_STATE_SUCCEEDED" } },
    has: ["list", "retrieve", "delete"],
  }),
  ["batches.cancel", "POST /batches/:id:cancel", "cancel batch :id", () => ({})],
  {
    operation: "batches.create",
    call: "POST */models/:model:(?:batchGenerateContent|asyncBatchEmbedContent)",
    label: ["{/batch/display_name}", "{/batch/displayName}", "new batch"],
    sends: [
      [
        "user",
        "/batch/input_config/requests/requests/*/request/contents/*/parts",
        "/batch/inputConfig/requests/requests/*/request/contents/*/parts",
      ],
    ],
    sample: operation,
  },
  createResource("batch_predictions", "batch prediction", {
    path: "*/batchPredictionJobs",
    sample: { name: "batchPredictionJobs/tapedeck", state: "JOB_STATE_SUCCEEDED" },
    has: FIXED,
  }),
  ["batch_predictions.cancel", "POST */batchPredictionJobs/:id:cancel", "cancel batch :id", () => ({})],
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
    operation: "computeTokens",
    call: "POST */models/:model:computeTokens",
    label: ["{/contents/*/parts/*/text}", "text to cut"],
    sends: [["user", "/contents/*/parts"]],
    sample: () => ({ tokensInfo: [] }),
  },
  ["operations.retrieve", "GET */operations/:id", "operation :id", operation],
  {
    operation: "operations.fetch",
    call: "POST */models/:model:fetchPredictOperation",
    label: ["{/operationName}", "operation"],
    sample: operation,
  },
  createResource("file_search_stores", "file search store", {
    path: "/fileSearchStores",
    sample: { name: "fileSearchStores/tapedeck" },
    has: FIXED,
  }),
  {
    operation: "file_search_stores.import",
    call: "POST /fileSearchStores/:id:importFile",
    label: ["{/fileName}", "file for :id"],
    sample: operation,
  },
  {
    operation: "file_search_stores.upload",
    call: "POST */upload/v\\d\\w*/fileSearchStores/:id:uploadToFileSearchStore",
    label: ["{files}", "{/displayName}", "file for :id"],
    sample: operation,
  },
  createResource("file_search_stores.documents", "document of the store", {
    path: "/fileSearchStores/:of/documents",
    has: ["list", "retrieve", "delete"],
  }),
  createResource("tunings", "tuning job", {
    path: "*/tuningJobs",
    sample: { name: "tuningJobs/tapedeck", state: "JOB_STATE_SUCCEEDED" },
    has: ["create", "list", "retrieve"],
  }),
  ["tunings.cancel", "POST */tuningJobs/:id:cancel", "cancel: tuning job :id", () => ({})],
  {
    operation: "tunings.validate",
    call: "POST */tuningJobs:validateReinforcementTuningReward",
    label: "reward for tuning",
    sample: () => ({}),
  },
  createResource("tuned_models", "tuned model", { path: "/tunedModels", update: "PATCH" }),
  ["models.list", "GET */models", "list of models", () => ({ models: [] })],
  ["models.retrieve", "GET */models/([^/:]+)", "model :id", ({ id }) => ({ name: `models/${id}` })],
  ["models.update", "PATCH */models/([^/:]+)", "model :id", ({ id }) => ({ name: `models/${id}` })],
  ["models.delete", "DELETE */models/([^/:]+)", "delete model :id", () => ({})],
  ["interactions.delete", "DELETE */interactions/:id", "delete interaction :id", () => ({})],
  createResource("agents", "agent", { has: FIXED }),
  createResource("environments", "environment", { has: FIXED }),
  ["environments.files.content", "GET /environments/:of/files/:id+", "content of :id", "content"],
  {
    operation: "environments.files.upload",
    call: "PUT */upload/v\\d\\w*/environments/:of/files/:id+",
    label: "upload of :id",
    sample: () => ({}),
  },
  createResource("triggers", "trigger", { update: "PATCH" }),
  createResource("triggers.executions", "execution of the trigger", { has: ["create", "list"] }),
  createResource("voices", "voice", { has: FIXED }),
  createResource("credentials", "credential", { update: "PATCH" }),
);
