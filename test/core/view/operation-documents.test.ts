import { expect, test } from "vitest";
import { describeRecording } from "../../../src/core/view/describe.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { renderRecording } from "../../../src/core/view/recording-document.ts";
import { callLabel } from "../../../src/core/view/row.ts";
import { bytesOf } from "../../../src/core/base/wire/text.ts";
import { aRecording } from "../../support/a-recording.ts";
import { trafficFixture } from "../../support/traffic-fixture.ts";

const providers = createProviders();

/** The row's label and the document of a fixture's recording, without its header. */
function shown(folder: string, name: string, path: string, provider = "openai") {
  const { request, reply } = trafficFixture(folder, name, { provider, path });
  const { method, body } = request;
  const operation = providers.protocolFor({ provider, method, path })?.protocol.operation ?? "http";
  const sent =
    body.kind === "bytes"
      ? { body: body.bytes, ...(body.contentType !== undefined && { contentType: body.contentType }) }
      : { body: bytesOf(JSON.stringify(trafficFixture(folder, name, { provider, path }).asked)) };
  const empty = body.kind === "empty" ? { body: new Uint8Array(0) } : sent;
  const recording = aRecording({ provider, operation, request: { method, path, ...empty }, reply });
  const view = describeRecording(recording, providers);
  const { text, sections } = renderRecording(view, { now: Date.parse(recording.recordedAt) });
  const lines = text.split("\n").slice(sections[0]?.line ?? 0);
  return { label: callLabel(view), text: lines.join("\n").trimEnd().replace(/─{3,}/g, "───"), sections };
}

test("texts to embed are listed, and their embeddings counted", () => {
  expect(shown("openai-embeddings", "texts", "/v1/embeddings")).toMatchObject({
    label: "3 texts to embed",
    text: `── to embed ───
Hello
Grüß dich
👋
── reply ─── 7 in
3 embeddings, 4 numbers each
── parameters ───
dimensions 4`,
  });
});

test("a picture is shown by its size, and can be opened", () => {
  expect(shown("openai-images", "generation", "/v1/images/generations")).toMatchObject({
    label: '"A red cassette"',
    text: `── user ───
A red cassette
── assistant ─── 9 in, 272 out
[image: 207 bytes, png]
── parameters ───
size 1024x1024`,
  });
});

test("streamed pictures are choices", () => {
  const { sections, text } = shown("openai-images", "two", "/v1/images/generations");

  expect(sections.map(({ title }) => title)).toEqual([
    "user",
    "assistant, choice 1 of 2",
    "assistant, choice 2 of 2",
    "parameters",
  ]);
  expect(text).toContain("stream, 4 events · 9 in, 272 out");
});

test("a failure beside an answer is no choice", () => {
  const { sections } = shown("openai-responses", "failed", "/v1/responses");

  expect(sections.map(({ title }) => title)).toEqual(["user", "assistant", "error"]);
});

test("sound that is heard is named by its file, and what it says stands as text", () => {
  expect(shown("openai-audio", "transcription", "/v1/audio/transcriptions")).toMatchObject({
    label: "hello.wav, 24 bytes to transcribe",
    text: `── to transcribe ───
[audio: hello.wav, audio/wav, 24 bytes]
── assistant ─── 14 in, 3 out
Hello there.`,
  });
});

test("a response's thoughts are folded, its usage told", () => {
  const { text, sections } = shown("openai-responses", "response", "/v1/responses");

  expect(text).toBe(`── system ───
Be terse.
── user ───
Say hi.
── assistant, thinking ───
A greeting.
── assistant ─── completed · 21 in (16 cached), 9 out (4 thinking)
Hi!`);
  expect(sections.find(({ title }) => title === "assistant, thinking")?.folded).toBe(true);
});

test("the results of a batch stand under the names that they were asked for with", () => {
  const path = "/v1/messages/batches/msgbatch_1/results";
  const { label, sections } = shown("anthropic-batches", "results", path, "anthropic");

  expect(label).toBe("results of batch msgbatch_1");
  expect(sections.map(({ title }) => title)).toEqual(["a", "b", "c"]);
});

test("what is kept at the provider is named and listed", () => {
  expect(shown("openai-resources", "models", "/v1/models")).toMatchObject({
    label: "list of models",
    text: `── reply ───
2 entries
gpt-5 · created 1 · owned_by openai
gpt-5-mini · created 2 · owned_by openai`,
  });
});
