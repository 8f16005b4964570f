import { expect, test } from "vitest";
import { encodeUtf8 } from "../../../src/core/base/wire/text.ts";
import type { RecordedReply, RecordedRequest } from "../../../src/core/cassette/recording.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { describeRecording } from "../../../src/core/view/describe.ts";
import { renderRecording } from "../../../src/core/view/recording-document.ts";
import { labelCall } from "../../../src/core/view/row.ts";
import { aRecording } from "../../support/a-recording.ts";
import { FIXTURES } from "../../support/wire-fixtures.ts";

const providers = createProviders({ bedrock: "https://bedrock.example" });

interface Exchange {
  readonly name: string;
  readonly provider: string;
  readonly request: Partial<RecordedRequest> & { readonly method: string; readonly path: string };
  readonly reply: Partial<RecordedReply>;
}

/** Returns the row's label, the model, and the document of a recorded call, without the document's header. */
function show({ name, provider, request, reply }: Exchange): string {
  const { method, path } = request;
  const operation = providers.protocolFor({ provider, method, path })?.protocol.operation ?? "http";
  const recording = aRecording({ provider, operation, request, reply });
  const view = describeRecording(recording, providers);
  const { text, sections } = renderRecording(view, { now: Date.parse(recording.recordedAt) });
  const lines = text
    .trimEnd()
    .split("\n")
    .slice(sections[0]?.line ?? 0);
  const titles = sections.map(({ title, folded }) => (folded ? `${title} (folded)` : title));
  return [
    `# ${name}: ${provider} ${method} ${path}`,
    `${operation}, ${labelCall(view)}, ${view.facts.model ?? view.projection.model ?? "no model"}, sections: ${titles.join(", ")}`,
    ...lines.map((line) => line.replace(/─{3,}/g, "───").slice(0, 200)),
    "",
  ].join("\n");
}

const ARN = "arn:aws:bedrock:us-east-1:111122223333:async-invoke/abcdefghijkl";
const AIGC = "POST /api/v1/services/aigc";
const TASK = { task_id: "task-1", task_status: "PENDING" };
const finished = (result: object): object => ({ output: { ...TASK, task_status: "SUCCEEDED", ...result } });
const REEL = {
  modelId: "amazon.nova-reel-v1:1",
  modelInput: {
    taskType: "MULTI_SHOT_AUTOMATED",
    multiShotAutomatedParams: { text: "A tide comes in" },
    videoGenerationConfig: { seed: 7 },
  },
  outputDataConfig: {},
};
const EDITED = {
  model: "wan2.6-image",
  input: {
    messages: [{ role: "user", content: [{ text: "Add a boat" }, { image: "https://a.example/in.png" }] }],
  },
};
const COMBINED = {
  model: "wan2.5-i2i-preview",
  input: { prompt: "A boat", images: ["https://a.example/in.png"] },
};

/** Tasks, which have no fixture. */
const TASKS: readonly (readonly [provider: string, call: string, sent: object | undefined, got: object])[] = [
  ["bedrock", "POST /async-invoke", REEL, { invocationArn: ARN }],
  [
    "bedrock",
    `GET /async-invoke/${encodeURIComponent(ARN)}`,
    undefined,
    { invocationArn: ARN, status: "InProgress" },
  ],
  [
    "bedrock",
    "GET /async-invoke",
    undefined,
    { asyncInvokeSummaries: [{ invocationArn: ARN, status: "Completed" }] },
  ],
  ["dashscope", `${AIGC}/image2image/image-synthesis`, COMBINED, { output: TASK, request_id: "r" }],
  ["dashscope", `${AIGC}/image-generation/generation`, EDITED, { output: TASK }],
  [
    "dashscope",
    "GET /api/v1/tasks/task-1",
    undefined,
    finished({ results: [{ url: "https://a.example/out.png" }] }),
  ],
  ["dashscope", "GET /api/v1/tasks/task-1", undefined, finished({ video_url: "https://a.example/out.mp4" })],
];

test("every recording is shown as the page beside this test has it", async () => {
  const fixtures = FIXTURES.map((fixture): Exchange => {
    const {
      folder,
      name,
      provider,
      path,
      request: { method, body },
      asked,
      reply,
    } = fixture;
    const sent = body.kind === "bytes" ? body.bytes : encodeUtf8(JSON.stringify(asked));
    const contentType = body.kind === "bytes" ? body.contentType : "application/json";
    const request = {
      method,
      path,
      body: body.kind === "empty" ? new Uint8Array(0) : sent,
      ...(contentType !== undefined && { contentType }),
    };
    return { name: `${folder}/${name}`, provider: provider.name, request, reply };
  });
  const tasks = TASKS.map(([provider, call, sent, got]): Exchange => {
    const [method = "", path = ""] = call.split(" ");
    const body = encodeUtf8(sent === undefined ? "" : JSON.stringify(sent));
    const request = { method, path, body, ...(sent && { contentType: "application/json" }) };
    return { name: "a task", provider, request, reply: { body: encodeUtf8(JSON.stringify(got)) } };
  });

  // `vitest FILE -u` writes the page anew.
  await expect([...fixtures, ...tasks].map(show).join("\n")).toMatchFileSnapshot("documents.txt");
});
