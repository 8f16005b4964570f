import { localize } from "../../base/localize.ts";
import { readFields, readText, type Fields } from "../../base/lenient.ts";
import { createReplyMessage } from "../base/parts.ts";
import { EMPTY_LIST, type OperationRow } from "./row.ts";
import { createResource, FIXED, makeRows } from "./rows.ts";

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
  createResource("videos.characters", "character for videos", {
    path: "/videos/characters",
    has: ["create", "retrieve"],
  }),
  ...["edits", "extensions"].map((kind): OperationRow => ({
    operation: `videos.${kind}`,
    call: `POST /videos/${kind}`,
    label: "change to a video",
    prompt: ["/prompt"],
    sample: { object: "video", progress: 100 },
  })),
  createResource("videos", "video", {
    sample: { object: "video", progress: 100, model: "sora-2" },
    takes: { what: "A video", needs: ["prompt"], form: true },
    sends: [["user", "/prompt"]],
    has: [...FIXED, "content"],
  }),
  [
    "videos.remix",
    "POST /videos/:id/remix",
    "remix video :id",
    {
      prompt: ["/prompt"],
      sample: ({ id }) => ({ id: `${id}_remix`, object: "video", status: "completed", progress: 100 }),
    },
  ],
  createResource("vector_stores", "vector store", { sample: { file_counts: { total: 0 } } }),
  [
    "vector_stores.search",
    "POST /vector_stores/:id/search",
    "search of vector store :id",
    { prompt: ["/query"], sample: () => ({ ...EMPTY_LIST, search_query: [] }) },
  ],
  createResource("vector_stores.files", "file of the vector store", { has: [...FIXED, "update", "content"] }),
  createResource("vector_stores.file_batches", "file batch", {
    sample: { file_counts: { total: 0 } },
    has: ["create", "retrieve"],
    actions: ["cancel"],
  }),
  createResource("vector_stores.file_batches.files", "file of the batch", { has: ["list"] }),
  createResource("containers", "container", { sample: { status: "running" }, has: FIXED }),
  createResource("containers.files", "file of the container", { has: [...FIXED, "content"] }),
  createResource("uploads", "upload", { has: ["create"], actions: ["parts", "complete", "cancel"] }),
  createResource("evals.runs", "run of the eval", { has: FIXED, actions: ["cancel"] }),
  createResource("evals.runs.output_items", "result of the run", { has: ["list", "retrieve"] }),
  createResource("evals", "eval"),
  createResource("skills", "skill", { has: [...FIXED, "update", "content"] }),
  createResource("skills.versions", "version of the skill", { has: [...FIXED, "content"] }),
  createResource("fine_tuning.jobs", "fine-tuning job", {
    path: "/fine_tuning/jobs",
    sample: { status: "succeeded" },
    has: ["create", "list", "retrieve"],
    actions: ["cancel", "pause", "resume"],
  }),
  ["fine_tuning.jobs.events", "GET /fine_tuning/jobs/:id/events", "events of fine-tuning job :id"],
  createResource("fine_tuning.jobs.checkpoints", "checkpoint", {
    path: "/fine_tuning/jobs/:of/checkpoints",
    has: ["list"],
  }),
  createResource("fine_tuning.checkpoints.permissions", "permission for the checkpoint", {
    path: "/fine_tuning/checkpoints/:of/permissions",
    has: ["create", "list", "delete"],
  }),
  ...["run", "validate"].map((action): OperationRow => ({
    operation: `fine_tuning.graders.${action}`,
    call: `POST /fine_tuning/alpha/graders/${action}`,
    label: ["{/grader/name}", "grader"],
    sends: [["user", "/item", "/model_sample"]],
    sample: { reward: 0, metadata: {} },
  })),
  createResource("chat.completions", "stored completion", {
    path: "/chat/completions",
    has: ["list", "retrieve", "update", "delete"],
  }),
  ["chat.completions.messages", "GET /chat/completions/:id/messages", "messages of :id"],
  createResource("audio.voices", "voice", { path: "/audio/voices", has: ["create", "delete"] }),
  createResource("audio.voice_consents", "consent to a voice", { path: "/audio/voice_consents" }),
  createResource("agents.sessions", "agent session", {
    path: "/agents/sessions",
    sample: { status: "idle" },
    own: { staysOpen: true },
  }),
  [
    "agents.sessions.events.create",
    "POST /agents/sessions/:id/events",
    ["{/text}", "{/input}", "event for agent session :id"],
    { sends: [["user", "/events/*/content", "/events/*/input"]], sample: () => EMPTY_LIST },
  ],
  ["agents.sessions.items", "GET /agents/sessions/:id/items", "items of agent session :id"],
  ["agents.sessions.turns", "GET /agents/sessions/:id/turns", "turns of agent session :id"],
  ["agents.sessions.traces", "GET /agents/sessions/:id/traces", "traces of agent session :id"],
  ["agents.sessions.turns.retrieve", "GET /agents/sessions/:of/turns/:id", "turn :id"],
  ["agents.sessions.turns.items", "GET /agents/sessions/:of/turns/:id/items", "items of turn :id"],
  createResource("agents.sessions.artifacts", "artifact of the session", {
    path: "/agents/sessions/:of/artifacts",
    has: ["list", "retrieve", "delete", "content"],
  }),
  createResource("agents.sessions.subagents", "subagent", {
    path: "/agents/sessions/:of/subagents",
    has: ["list", "retrieve"],
  }),
  [
    "agents.sessions.subagents.items",
    "GET /agents/sessions/:of/subagents/:id/items",
    "items of subagent :id",
  ],
  createResource("agents.sessions.subagents.turns", "turn of the subagent", {
    path: "/agents/sessions/:of/subagents/:of/turns",
    has: ["list", "retrieve"],
  }),
  [
    "agents.sessions.subagents.turns.items",
    "GET /agents/sessions/:of/subagents/:of/turns/:id/items",
    "items of turn :id",
  ],
  createResource("agents.environments.templates", "environment template", {
    path: "/agents/environments/templates",
  }),
  createResource("agents.environments", "agent environment", {
    path: "/agents/environments",
    has: ["create", "list", "retrieve"],
  }),
  createResource("agents.environments.files", "file of the environment", {
    path: "/agents/environments/:of/files",
    has: ["create", "list"],
  }),
  createResource("agents.automations", "automation", {
    path: "/agents/automations",
    actions: ["pause", "resume"],
  }),
  createResource("agents.automations.invocations", "invocation", {
    path: "/agents/automations/:of/invocations",
    has: ["create", "list", "retrieve"],
  }),
  createResource("agents", "agent"),
  createResource("vaults", "vault"),
  createResource("vaults.credentials", "credential in the vault"),
);
