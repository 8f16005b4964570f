import { createResource, FIXED, makeRows } from "./rows.ts";
import type { RequestContent } from "./sent.ts";

const operation = ({ id }: RequestContent): object => ({
  name: `operations/${id || "tapedeck"}`,
  done: true,
  response: {},
});
const model = ({ id }: RequestContent): object => ({ name: `models/${id}` });

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
  [
    "files.upload",
    "POST */upload/v\\d\\w*/files",
    ["{files}", "{/file/display_name}", "{/file/displayName}", "upload of file"],
    { sample: { file: { name: "files/tapedeck", state: "ACTIVE", uri: "files/tapedeck" } } },
  ],
  ["files.register", "POST /files:register", "files to register", { sample: { files: [] } }],
  ["files.content", "GET /files/:id:download", "content of :id", { sample: "content" }],
  createResource("files", "file", {
    sample: { name: "files/tapedeck", state: "ACTIVE" },
    has: ["list", "retrieve", "delete"],
  }),
  createResource("batches", "batch", {
    sample: { name: "batches/tapedeck", metadata: { state: "BATCH_STATE_SUCCEEDED" } },
    has: ["list", "retrieve", "delete"],
  }),
  ["batches.cancel", "POST /batches/:id:cancel", "cancel batch :id"],
  [
    "batches.create",
    "POST */models/:model:(?:batchGenerateContent|asyncBatchEmbedContent)",
    ["{/batch/display_name}", "{/batch/displayName}", "new batch"],
    {
      sends: [
        [
          "user",
          "/batch/input_config/requests/requests/*/request/contents/*/parts",
          "/batch/inputConfig/requests/requests/*/request/contents/*/parts",
        ],
      ],
      sample: operation,
    },
  ],
  createResource("batch_predictions", "batch prediction", {
    path: "*/batchPredictionJobs",
    sample: { name: "batchPredictionJobs/tapedeck", state: "JOB_STATE_SUCCEEDED" },
    has: FIXED,
  }),
  ["batch_predictions.cancel", "POST */batchPredictionJobs/:id:cancel", "cancel batch :id"],
  [
    "videos.generate",
    "POST */models/:model:predictLongRunning",
    "video",
    { prompt: ["/instances/*/prompt"], sample: operation },
  ],
  [
    "images.predict",
    "POST */models/:model:predict",
    "prediction",
    { prompt: ["/instances/*/prompt"], sample: { predictions: [] } },
  ],
  [
    "computeTokens",
    "POST */models/:model:computeTokens",
    ["{/contents/*/parts/*/text}", "text to cut"],
    { sends: [["user", "/contents/*/parts"]], sample: { tokensInfo: [] } },
  ],
  ["operations.retrieve", "GET */operations/:id", "operation :id", { sample: operation }],
  [
    "operations.fetch",
    "POST */models/:model:fetchPredictOperation",
    ["{/operationName}", "operation"],
    { sample: operation },
  ],
  createResource("file_search_stores", "file search store", {
    path: "/fileSearchStores",
    sample: { name: "fileSearchStores/tapedeck" },
    has: FIXED,
  }),
  [
    "file_search_stores.import",
    "POST /fileSearchStores/:id:importFile",
    ["{/fileName}", "file for :id"],
    { sample: operation },
  ],
  [
    "file_search_stores.upload",
    "POST */upload/v\\d\\w*/fileSearchStores/:id:uploadToFileSearchStore",
    ["{files}", "{/displayName}", "file for :id"],
    { sample: operation },
  ],
  createResource("file_search_stores.documents", "document of the store", {
    path: "/fileSearchStores/:of/documents",
    has: ["list", "retrieve", "delete"],
  }),
  createResource("tunings", "tuning job", {
    path: "*/tuningJobs",
    sample: { name: "tuningJobs/tapedeck", state: "JOB_STATE_SUCCEEDED" },
    has: ["create", "list", "retrieve"],
  }),
  ["tunings.cancel", "POST */tuningJobs/:id:cancel", "cancel: tuning job :id"],
  ["tunings.validate", "POST */tuningJobs:validateReinforcementTuningReward", "reward for tuning"],
  createResource("tuned_models", "tuned model", { path: "/tunedModels", update: "PATCH" }),
  ["models.list", "GET */models", "list of models", { sample: { models: [] } }],
  ["models.retrieve", "GET */models/([^/:]+)", "model :id", { sample: model }],
  ["models.update", "PATCH */models/([^/:]+)", "model :id", { sample: model }],
  ["models.delete", "DELETE */models/([^/:]+)", "delete model :id"],
  ["interactions.delete", "DELETE */interactions/:id", "delete interaction :id"],
  createResource("agents", "agent", { has: FIXED }),
  createResource("environments", "environment", { has: FIXED }),
  ["environments.files.content", "GET /environments/:of/files/:id+", "content of :id", { sample: "content" }],
  ["environments.files.upload", "PUT */upload/v\\d\\w*/environments/:of/files/:id+", "upload of :id"],
  createResource("triggers", "trigger", { update: "PATCH" }),
  createResource("triggers.executions", "execution of the trigger", { has: ["create", "list"] }),
  createResource("voices", "voice", { has: FIXED }),
  createResource("credentials", "credential", { update: "PATCH" }),
);
