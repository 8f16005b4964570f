import { createResource, makeRows } from "./rows.ts";
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
  createResource("*/cachedContents", "create list retrieve patch delete", {
    name: "caches",
    sample: { name: "cachedContents/tapedeck" },
    sends: [
      ["system", "/systemInstruction/parts"],
      ["user", "/contents/*/parts"],
    ],
  }),
  [
    "files.upload",
    "POST */upload/v\\d\\w*/files",
    {
      label: ["{files}", "{/file/display_name}", "{/file/displayName}"],
      sample: { file: { name: "files/tapedeck", state: "ACTIVE", uri: "files/tapedeck" } },
    },
  ],
  ["files.register", "POST /files:register", { sample: { files: [] } }],
  ["files.content", "GET /files/:id:download", { sample: "content" }],
  createResource("/files", "list retrieve delete", { sample: { name: "files/tapedeck", state: "ACTIVE" } }),
  createResource("/batches", "list retrieve delete", {
    sample: { name: "batches/tapedeck", metadata: { state: "BATCH_STATE_SUCCEEDED" } },
  }),
  ["batches.cancel", "POST /batches/:id:cancel"],
  [
    "batches.create",
    "POST */models/:model:(?:batchGenerateContent|asyncBatchEmbedContent)",
    {
      label: ["{/batch/display_name}", "{/batch/displayName}"],
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
  createResource("*/batchPredictionJobs", "create list retrieve delete", {
    name: "batch_predictions",
    sample: { name: "batchPredictionJobs/tapedeck", state: "JOB_STATE_SUCCEEDED" },
  }),
  ["batch_predictions.cancel", "POST */batchPredictionJobs/:id:cancel"],
  [
    "videos.generate",
    "POST */models/:model:predictLongRunning",
    { prompt: ["/instances/*/prompt"], sample: operation },
  ],
  [
    "images.predict",
    "POST */models/:model:predict",
    { prompt: ["/instances/*/prompt"], sample: { predictions: [] } },
  ],
  [
    "computeTokens",
    "POST */models/:model:computeTokens",
    {
      label: "{/contents/*/parts/*/text}",
      sends: [["user", "/contents/*/parts"]],
      sample: { tokensInfo: [] },
    },
  ],
  ["operations.retrieve", "GET */operations/:id", { sample: operation }],
  [
    "operations.fetch",
    "POST */models/:model:fetchPredictOperation",
    { label: "{/operationName}", sample: operation },
  ],
  createResource("/fileSearchStores", "create list retrieve delete", {
    name: "file_search_stores",
    sample: { name: "fileSearchStores/tapedeck" },
  }),
  [
    "file_search_stores.import",
    "POST /fileSearchStores/:id:importFile",
    { label: "{/fileName}", sample: operation },
  ],
  [
    "file_search_stores.upload",
    "POST */upload/v\\d\\w*/fileSearchStores/:id:uploadToFileSearchStore",
    { label: ["{files}", "{/displayName}"], sample: operation },
  ],
  createResource("/fileSearchStores/:of/documents", "list retrieve delete", {
    name: "file_search_stores.documents",
  }),
  createResource("*/tuningJobs", "create list retrieve", {
    name: "tunings",
    sample: { name: "tuningJobs/tapedeck", state: "JOB_STATE_SUCCEEDED" },
  }),
  ["tunings.cancel", "POST */tuningJobs/:id:cancel"],
  ["tunings.validate", "POST */tuningJobs:validateReinforcementTuningReward"],
  createResource("/tunedModels", "create list retrieve patch delete", { name: "tuned_models" }),
  ["models.list", "GET */models", { sample: { models: [] } }],
  ["models.retrieve", "GET */models/([^/:]+)", { sample: model }],
  ["models.update", "PATCH */models/([^/:]+)", { sample: model }],
  ["models.delete", "DELETE */models/([^/:]+)"],
  ["interactions.delete", "DELETE */interactions/:id"],
  createResource("/agents", "create list retrieve delete"),
  createResource("/environments", "create list retrieve delete"),
  ["environments.files.content", "GET /environments/:of/files/:id+", { sample: "content" }],
  ["environments.files.upload", "PUT */upload/v\\d\\w*/environments/:of/files/:id+"],
  createResource("/triggers", "create list retrieve patch delete"),
  createResource("/triggers/:of/executions", "create list"),
  createResource("/voices", "create list retrieve delete"),
  createResource("/credentials", "create list retrieve patch delete"),
);
