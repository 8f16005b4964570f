import type { Protocol } from "./protocol.ts";
import { resourceProtocol, topLevel, uploadLabel, type ResourceOperation } from "./resource.ts";

const list = (): object => ({ object: "list", data: [], has_more: false, first_id: null, last_id: null });
const deleted = (id: string): object => ({ id, object: "deleted", type: "deleted", deleted: true });
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
  {
    operation: "models.list",
    method: "GET",
    path: topLevel("/models"),
    label: () => "list of models",
    sample: list,
  },
  // The names of open models have slashes in them, which not every client encodes.
  {
    operation: "models.retrieve",
    method: "GET",
    path: topLevel("/models/(.+)"),
    label: (name) => `model ${name}`,
    sample: model,
  },
  {
    operation: "models.delete",
    method: "DELETE",
    path: topLevel("/models/(.+)"),
    label: (name) => `delete model ${name}`,
    sample: deleted,
  },
  {
    operation: "files.create",
    method: "POST",
    path: topLevel("/files"),
    label: (_name, request) => `upload of ${uploadLabel(request)}`,
    sample: file,
  },
  {
    operation: "files.list",
    method: "GET",
    path: topLevel("/files"),
    label: () => "list of files",
    sample: list,
  },
  {
    operation: "files.content",
    method: "GET",
    path: topLevel("/files/([^/]+)/content"),
    label: (name) => `content of ${name}`,
    sample: () => ({}),
    isContent: true,
  },
  {
    operation: "files.retrieve",
    method: "GET",
    path: topLevel("/files/([^/]+)"),
    label: (name) => `file ${name}`,
    sample: file,
  },
  {
    operation: "files.delete",
    method: "DELETE",
    path: topLevel("/files/([^/]+)"),
    label: (name) => `delete file ${name}`,
    sample: deleted,
  },
];

/**
 * Models and files, which OpenAI and Anthropic keep under the same paths and with much the same members.
 * Sources: platform.openai.com/docs/api-reference/files, docs.anthropic.com/en/api/files-create, 2026-11.
 */
export const sharedResources: readonly Protocol[] = ROWS.map(resourceProtocol);
