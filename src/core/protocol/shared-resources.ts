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
  ["models.list", "GET /models", "list of models", list],
  // The names of open models have slashes in them, which not every client encodes.
  ["models.retrieve", "GET /models/:id+", "model :id", model],
  ["models.delete", "DELETE /models/:id+", "delete model :id", deletionOf],
  ["files.create", "POST /files", (request) => `upload of ${uploadLabel(request)}`, file],
  ["files.list", "GET /files", "list of files", list],
  ["files.content", "GET /files/:id/content", "content of :id", "content"],
  ["files.retrieve", "GET /files/:id", "file :id", file],
  ["files.delete", "DELETE /files/:id", "delete file :id", deletionOf],
];

/**
 * Models and files, which OpenAI and Anthropic keep under the same paths and with much the same members.
 * Sources: platform.openai.com/docs/api-reference/files, docs.anthropic.com/en/api/files-create, 2026-11.
 */
export const sharedResources: readonly Protocol[] = ROWS.map(resourceProtocol);
