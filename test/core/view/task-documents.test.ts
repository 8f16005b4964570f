import { expect, test } from "vitest";
import { encodeUtf8 } from "../../../src/core/base/wire/text.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { describeRecording } from "../../../src/core/view/describe.ts";
import { renderRecording } from "../../../src/core/view/recording-document.ts";
import { labelCall } from "../../../src/core/view/row.ts";
import { aRecording } from "../../support/a-recording.ts";

const providers = createProviders({ bedrock: "https://bedrock.example" });

/** The operation, label, model, and document of a recorded call, without the document's header. */
function show(provider: string, call: string, sent: object | undefined, got: object) {
  const [method = "", path = ""] = call.split(" ");
  const operation = providers.protocolFor({ provider, method, path })?.protocol.operation ?? "http";
  const body = sent === undefined ? new Uint8Array(0) : encodeUtf8(JSON.stringify(sent));
  const recording = aRecording({
    provider,
    operation,
    request: { method, path, body, ...(sent && { contentType: "application/json" }) },
    reply: { body: encodeUtf8(JSON.stringify(got)) },
  });
  const view = describeRecording(recording, providers);
  const { text, sections } = renderRecording(view, { now: Date.parse(recording.recordedAt) });
  const lines = text.split("\n").slice(sections[0]?.line ?? 0);
  return [
    operation,
    labelCall(view),
    view.facts.model ?? view.projection.model,
    lines.join("\n").trimEnd().replace(/─{3,}/g, "───"),
  ];
}

const ARN = "arn:aws:bedrock:us-east-1:111122223333:async-invoke/abcdefghijkl";

test("an asynchronous invocation has the model, the prompt, and the settings of the model's input", () => {
  const modelInput = {
    taskType: "MULTI_SHOT_AUTOMATED",
    multiShotAutomatedParams: { text: "A tide comes in" },
    videoGenerationConfig: { seed: 7 },
  };
  const sent = { modelId: "amazon.nova-reel-v1:1", modelInput, outputDataConfig: {} };

  expect(show("bedrock", "POST /async-invoke", sent, { invocationArn: ARN })).toMatchInlineSnapshot(`
    [
      "async_invoke.start",
      ""A tide comes in"",
      "amazon.nova-reel-v1:1",
      "── user ───
    A tide comes in
    ── reply ───
    invocationArn arn:aws:bedrock:us-east-1:111122223333:async-invoke/abcdefghijkl
    ── parameters ───
    taskType MULTI_SHOT_AUTOMATED · videoGenerationConfig seed 7 · outputDataConfig nothing",
    ]
  `);
  expect(
    show("bedrock", `GET /async-invoke/${encodeURIComponent(ARN)}`, undefined, {
      invocationArn: ARN,
      status: "InProgress",
    }),
  ).toMatchInlineSnapshot(`
    [
      "async_invoke.retrieve",
      "asynchronous invocation arn:aws:bedrock:us-east-1:111122223…",
      undefined,
      "── reply ───
    invocationArn arn:aws:bedrock:us-east-1:111122223333:async-invoke/abcdefghijkl · status InProgress",
    ]
  `);
  expect(
    show("bedrock", "GET /async-invoke", undefined, {
      asyncInvokeSummaries: [{ invocationArn: ARN, status: "Completed" }],
    }),
  ).toMatchInlineSnapshot(`
    [
      "async_invoke.list",
      "list of asynchronous invocations",
      undefined,
      "── reply ───
    1 entry
    invocationArn arn:aws:bedrock:us-east-1:111122223333:async-invoke/abcdefghijkl · status Completed",
    ]
  `);
});

const AIGC = "POST /api/v1/services/aigc";

test("DashScope's pictures and videos are tasks, which show their results when they are finished", () => {
  const output = { task_id: "task-1", task_status: "PENDING" };
  const edited = {
    messages: [{ role: "user", content: [{ text: "Add a boat" }, { image: "https://a.example/in.png" }] }],
  };
  const showFinished = (result: object) =>
    show("dashscope", "GET /api/v1/tasks/task-1", undefined, {
      output: { ...output, task_status: "SUCCEEDED", ...result },
    });

  expect(
    show(
      "dashscope",
      `${AIGC}/image2image/image-synthesis`,
      { model: "wan2.5-i2i-preview", input: { prompt: "A boat", images: ["https://a.example/in.png"] } },
      { output, request_id: "r" },
    ),
  ).toMatchInlineSnapshot(`
    [
      "images.generate",
      ""A boat"",
      "wan2.5-i2i-preview",
      "── user ───
    A boat
    ── reply ───
    task_id task-1 · task_status PENDING
    ── parameters ───
    images https://a.example/in.png",
    ]
  `);
  expect(
    show(
      "dashscope",
      `${AIGC}/image-generation/generation`,
      { model: "wan2.6-image", input: edited },
      { output },
    ),
  ).toMatchInlineSnapshot(`
    [
      "images.generate",
      ""Add a boat"",
      "wan2.6-image",
      "── user ───
    Add a boat
    [image: image]
    ── reply ───
    task_id task-1 · task_status PENDING",
    ]
  `);
  expect(showFinished({ results: [{ url: "https://a.example/out.png" }] })).toMatchInlineSnapshot(`
    [
      "tasks.retrieve",
      "task task-1",
      undefined,
      "── reply ───
    task_id task-1 · task_status SUCCEEDED
    [image: image]",
    ]
  `);
  expect(showFinished({ video_url: "https://a.example/out.mp4" })).toMatchInlineSnapshot(`
    [
      "tasks.retrieve",
      "task task-1",
      undefined,
      "── reply ───
    task_id task-1 · task_status SUCCEEDED
    [video: video]",
    ]
  `);
});
