import { localize } from "../../base/localize.ts";
import { readFields, readText, type Fields } from "../../base/lenient.ts";
import { createReplyMessage } from "../base/parts.ts";
import { EMPTY_LIST, type OperationRow } from "./row.ts";
import { createResource, makeRows } from "./rows.ts";

/** Formats an answer: "department: billing (0.9)". A yes-or-no question has the probability of yes. */
function formatAnswer([key, answer]: readonly [string, unknown]): string {
  const { name, type, choice, score, noul, probability, confidence } = readFields(answer);
  const certainty = typeof confidence === "number" ? ` (${String(confidence)})` : "";
  return `${readText(name) ?? key}: ${String(choice ?? score ?? noul ?? probability ?? type)}${certainty}`;
}

const listAnswers = ({ answers }: Fields): readonly (readonly [string, unknown])[] =>
  Array.isArray(answers)
    ? answers.map((answer, index) => [String(index + 1), answer])
    : Object.entries(readFields(answers));

/**
 * Answers questions about an input with probabilities. Sources: openai-node 7.59 `resources/decisions`, js-genai 3.3
 * (`CreateDecision`), dashscope 2.0.2 (PyPI) `v2/resources/decision.py`, 2026-11.
 */
export const DECISIONS: OperationRow = {
  operation: "decisions",
  call: "POST */(?:decisions|systemone)",
  label: ["{/input}", "{/input/*/content}", "{/input/*/text}", "{/state}", "decision"],
  takes: { what: "A decision", needs: ["model", "questions"] },
  sends: [["user", "/input", "/state"]],
  reply: {
    members: ["answers"],
    says: (fields) => [
      createReplyMessage(listAnswers(fields).map(formatAnswer).join("\n") || localize("nothing")),
    ],
    usage: ["decisions", "/usage"],
  },
  sample: ({ fields }) => ({
    model: readText(fields["model"]) ?? "",
    answers: Array.isArray(fields["questions"]) ? [] : {},
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  }),
};

/**
 * Resources of OpenAI's newer APIs. Source: openai-node 7.59 `resources/` (videos, containers, vector stores, uploads, evals,
 * skills, fine-tuning, agents, voices, stored completions), 2026-11.
 */
export const OPENAI_RESOURCES = makeRows(
  createResource("/videos/characters", "create retrieve"),
  ...["edits", "extensions"].map((kind): OperationRow => ({
    operation: `videos.${kind}`,
    call: `POST /videos/${kind}`,
    label: "change to a video",
    prompt: ["/prompt"],
    sample: { object: "video", progress: 100 },
  })),
  createResource("/videos", "create list retrieve delete content", {
    sample: { object: "video", progress: 100, model: "sora-2" },
    takes: { what: "A video", needs: ["prompt"], form: true },
    sends: [["user", "/prompt"]],
  }),
  [
    "videos.remix",
    "POST /videos/:id/remix",
    {
      prompt: ["/prompt"],
      sample: ({ id }) => ({ id: `${id}_remix`, object: "video", status: "completed", progress: 100 }),
    },
  ],
  createResource("/vector_stores", "create list retrieve update delete", {
    sample: { file_counts: { total: 0 } },
  }),
  [
    "vector_stores.search",
    "POST /vector_stores/:id/search",
    { prompt: ["/query"], sample: () => ({ ...EMPTY_LIST, search_query: [] }) },
  ],
  createResource("/vector_stores/:of/files", "create list retrieve update delete content"),
  createResource("/vector_stores/:of/file_batches", "create retrieve cancel", {
    sample: { file_counts: { total: 0 } },
  }),
  createResource("/vector_stores/:of/file_batches/:of/files", "list"),
  createResource("/containers", "create list retrieve delete", { sample: { status: "running" } }),
  createResource("/containers/:of/files", "create list retrieve delete content"),
  createResource("/uploads", "create parts complete cancel"),
  createResource("/evals/:of/runs", "create list retrieve delete cancel"),
  createResource("/evals/:of/runs/:of/output_items", "list retrieve"),
  createResource("/evals", "create list retrieve update delete"),
  createResource("/skills", "create list retrieve update delete content"),
  createResource("/skills/:of/versions", "create list retrieve delete content"),
  createResource("/fine_tuning/jobs", "create list retrieve cancel pause resume", {
    sample: { status: "succeeded" },
  }),
  ["fine_tuning.jobs.events", "GET /fine_tuning/jobs/:id/events"],
  createResource("/fine_tuning/jobs/:of/checkpoints", "list"),
  createResource("/fine_tuning/checkpoints/:of/permissions", "create list delete"),
  ...["run", "validate"].map((action): OperationRow => ({
    operation: `fine_tuning.graders.${action}`,
    call: `POST /fine_tuning/alpha/graders/${action}`,
    label: ["{/grader/name}", "grader"],
    sends: [["user", "/item", "/model_sample"]],
    sample: { reward: 0, metadata: {} },
  })),
  createResource("/chat/completions", "list retrieve update delete"),
  ["chat.completions.messages", "GET /chat/completions/:id/messages"],
  createResource("/audio/voices", "create delete"),
  createResource("/audio/voice_consents", "create list retrieve update delete"),
  createResource("/agents/sessions", "create list retrieve update delete", {
    sample: { status: "idle" },
    own: { staysOpen: true },
  }),
  [
    "agents.sessions.events.create",
    "POST /agents/sessions/:id/events",
    {
      label: ["{/text}", "{/input}"],
      sends: [["user", "/events/*/content", "/events/*/input"]],
      sample: () => EMPTY_LIST,
    },
  ],
  ["agents.sessions.items", "GET /agents/sessions/:id/items"],
  ["agents.sessions.turns", "GET /agents/sessions/:id/turns"],
  ["agents.sessions.traces", "GET /agents/sessions/:id/traces"],
  ["agents.sessions.turns.retrieve", "GET /agents/sessions/:of/turns/:id"],
  ["agents.sessions.turns.items", "GET /agents/sessions/:of/turns/:id/items"],
  createResource("/agents/sessions/:of/artifacts", "list retrieve delete content"),
  createResource("/agents/sessions/:of/subagents", "list retrieve"),
  ["agents.sessions.subagents.items", "GET /agents/sessions/:of/subagents/:id/items"],
  createResource("/agents/sessions/:of/subagents/:of/turns", "list retrieve"),
  ["agents.sessions.subagents.turns.items", "GET /agents/sessions/:of/subagents/:of/turns/:id/items"],
  createResource("/agents/environments/templates", "create list retrieve update delete"),
  createResource("/agents/environments", "create list retrieve"),
  createResource("/agents/environments/:of/files", "create list"),
  createResource("/agents/automations", "create list retrieve update delete pause resume"),
  createResource("/agents/automations/:of/invocations", "create list retrieve"),
  createResource("/agents", "create list retrieve update delete"),
  createResource("/vaults", "create list retrieve update delete"),
  createResource("/vaults/:of/credentials", "create list retrieve update delete"),
);
