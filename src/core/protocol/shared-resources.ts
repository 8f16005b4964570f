import type { Protocol } from "./protocol.ts";
import { resourceProtocol, uploadLabel, type ResourceOperation } from "./resource.ts";

const list = (): object => ({ object: "list", data: [], has_more: false, first_id: null, last_id: null });
const deletionOf = (id: string): object => ({ id, object: "deleted", type: "deleted", deleted: true });
const model = (id: string): object => ({
  id,
  object: "model",
  type: "model",
  display_name: id,
  created: 0,
  created_at: "1970-01-01T00:00:00Z",
  owned_by: "tapedeck",
});
const file = (id: string): object => ({
  id: id || "file-tapedeck",
  object: "file",
  type: "file",
  bytes: 0,
  size_bytes: 0,
  created_at: 0,
  filename: "tapedeck",
  mime_type: "application/octet-stream",
  purpose: "user_data",
  status: "processed",
});

const ROWS: readonly ResourceOperation[] = [
  { operation: "models.list", call: "GET /models", label: "list of models", sample: list },
  // The names of open models have slashes in them, which not every client encodes.
  { operation: "models.retrieve", call: "GET /models/:id+", label: "model :id", sample: model },
  { operation: "models.delete", call: "DELETE /models/:id+", label: "delete model :id", sample: deletionOf },
  {
    operation: "files.create",
    call: "POST /files",
    label: (request) => `upload of ${uploadLabel(request)}`,
    sample: file,
  },
  { operation: "files.list", call: "GET /files", label: "list of files", sample: list },
  { operation: "files.content", call: "GET /files/:id/content", label: "content of :id", sample: "content" },
  { operation: "files.retrieve", call: "GET /files/:id", label: "file :id", sample: file },
  { operation: "files.delete", call: "DELETE /files/:id", label: "delete file :id", sample: deletionOf },
];

/**
 * Models and files, which OpenAI and Anthropic keep under the same paths and with much the same members.
 * Sources: platform.openai.com/docs/api-reference/files, docs.anthropic.com/en/api/files-create, 2026-11.
 */
export const sharedResources: readonly Protocol[] = ROWS.map(resourceProtocol);
