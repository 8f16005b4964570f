import { member } from "../../../json/json-tree.ts";
import type { Protocol, ProtocolRequest } from "../../protocol.ts";
import { resourceProtocol, topLevel, type ResourceOperation } from "../../resource.ts";

const batch = (id: string): object => ({
  id: id || "batch_tapedeck",
  object: "batch",
  endpoint: "/v1/chat/completions",
  completion_window: "24h",
  created_at: 0,
  input_file_id: "file-tapedeck",
  status: "completed",
  request_counts: { total: 0, completed: 0, failed: 0 },
});

function createLabel(_name: string, { body }: ProtocolRequest): string {
  const endpoint = body.kind === "json" ? member(body.tree, "endpoint") : undefined;
  return typeof endpoint === "string" ? `batch of calls to ${endpoint}` : "batch";
}

const ROWS: readonly ResourceOperation[] = [
  {
    operation: "batches.create",
    method: "POST",
    path: topLevel("/batches"),
    label: createLabel,
    sample: batch,
  },
  {
    operation: "batches.list",
    method: "GET",
    path: topLevel("/batches"),
    label: () => "list of batches",
    sample: () => ({ object: "list", data: [], has_more: false }),
  },
  {
    operation: "batches.retrieve",
    method: "GET",
    path: topLevel("/batches/([^/]+)"),
    label: (name) => `batch ${name}`,
    sample: batch,
  },
  {
    operation: "batches.cancel",
    method: "POST",
    path: topLevel("/batches/([^/]+)/cancel"),
    label: (name) => `cancel batch ${name}`,
    sample: batch,
  },
];

/**
 * Batches of calls. What a look at one says is a whole answer whatever its state: a test that waits gets the states
 * one after another, as takes. Source: platform.openai.com/docs/api-reference/batch, 2026-11.
 */
export const openaiBatches: readonly Protocol[] = ROWS.map(resourceProtocol);
