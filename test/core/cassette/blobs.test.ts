import { describe, expect, it } from "vitest";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import { aRecording, bytes, sha256, textOf } from "../../support/a-recording.ts";

const picture = new Uint8Array(70_000).map((_, index) => (index * 31) % 256);
const hash = sha256(picture);
const base64 = Buffer.from(picture).toString("base64");

function asking(url: string) {
  const body = { messages: [{ content: [{ type: "text" }, { image_url: { url } }] }] };
  return aRecording({ request: { body: bytes(JSON.stringify(body)) } });
}

describe("large binaries", () => {
  it("are stored in separate files, which the recording references by place, and are restored exactly", () => {
    const recording = asking(`data:image/png;base64,${base64}`);

    const { text, blobs } = encodeRecording(recording, { sha256 });
    const read = decodeRecording(text, createRecordingAddress("openai", recording.key, 1), {
      sha256,
      readBlob: (name) => blobs.get(name),
    });

    expect([...blobs.keys()]).toEqual([hash]);
    expect(sha256(blobs.get(hash) ?? "")).toBe(hash);
    expect(text).toContain(`"url": "data:image/png;base64,blobs/${hash}"`);
    expect(text).toContain(
      `    "/request/body/messages/0/content/1/image_url/url": { "sha256": "${hash}", "bytes": 70000, "prefix": "data:image/png;base64," }`,
    );
    expect(textOf(read.request.body)).toBe(textOf(recording.request.body));
  });

  it("are taken out of replies too: binary bodies, JSON and events", () => {
    const binary = aRecording({ reply: { contentType: "audio/mpeg", body: picture } });
    const json = aRecording({ reply: { body: bytes(JSON.stringify({ b64_json: base64 })) } });
    const stream = aRecording({
      reply: { contentType: "text/event-stream", body: bytes(`data: {"a/b~c":"${base64}"}\n\n`) },
    });

    for (const recording of [binary, json, stream]) {
      const { text, blobs } = encodeRecording(recording, { sha256 });
      const options = { readBlob: (name: string) => blobs.get(name) };

      expect(text.length).toBeLessThan(2_000);
      const read = decodeRecording(text, createRecordingAddress("openai", recording.key, 1), options);
      expect(sha256(read.reply.body)).toBe(sha256(recording.reply.body));
    }
  });

  it("stay in the file when they are small, or when encoding them again would not give the same text", () => {
    const small = asking(Buffer.alloc(65_536).toString("base64"));
    const loose = asking(base64.replace(/=*$/, ""));
    const text = asking("word ".repeat(20_000));

    for (const recording of [small, loose, text]) {
      expect(encodeRecording(recording, { sha256 }).blobs.size).toBe(0);
    }
  });

  it("are named when they are missing, damaged, or no longer in their place", () => {
    const recording = asking(base64);
    const address = createRecordingAddress("openai", recording.key, 1);
    const { text } = encodeRecording(recording, { sha256 });
    const other = picture.map((byte) => byte ^ 1);
    const moved = text.replace('"type": "text"', '"type": "text" }, {');

    expect(() => decodeRecording(text, address)).toThrow(`refers to blobs/${hash}, which does not exist`);
    expect(() => decodeRecording(text, address, { sha256, readBlob: () => other })).toThrow(
      "has other content",
    );
    expect(() => decodeRecording(moved, address, { readBlob: () => picture })).toThrow(
      "refers to a field that is not in the file",
    );
  });

  it("and recordings that Git LFS has not downloaded yet are reported as such", () => {
    const recording = asking(base64);
    const address = createRecordingAddress("openai", recording.key, 1);
    const { text } = encodeRecording(recording, { sha256 });
    const pointer = Buffer.from(
      `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize ${picture.length}\n`,
    );

    expect(() => decodeRecording(text, address, { sha256, readBlob: () => pointer })).toThrow(
      `refers to blobs/${hash}, which is a Git LFS pointer: run git lfs pull to get the file`,
    );
    expect(() => decodeRecording(pointer, address)).toThrow("it is a Git LFS pointer: run git lfs pull");
  });
});
