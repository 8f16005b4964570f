import zlib, { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { send } from "../support/http-client.ts";
import { aListeningServer, TOKEN } from "./a-listening-server.ts";
import { CHAT, ZSTD_CHAT } from "../support/zstd.ts";

/** By a server that goes on afterwards. */
async function answerTo(encoding: string, body: Uint8Array): Promise<[status: number, text: string]> {
  const { server, chat } = await aListeningServer();
  const headers = { "content-type": "application/json", "content-encoding": encoding };
  const { status, text } = await send(`${server.origin}/${TOKEN}/openai/v1/chat/completions`, {
    headers,
    body,
  });
  expect((await chat("hi")).status).toBe(200);
  return [status, text];
}

it.each([
  ["gzip", gzipSync(CHAT)],
  ["deflate", deflateSync(CHAT)],
  ["br", brotliCompressSync(CHAT)],
])("a body in %s that is cut off anywhere is reported as such", async (encoding, body) => {
  for (const length of [1, body.byteLength >> 1, body.byteLength - 9, body.byteLength - 1])
    expect(await answerTo(encoding, body.subarray(0, length))).toEqual([
      400,
      expect.stringContaining(`not valid ${encoding}`),
    ]);
});

/** Node 22.15 and later decode Zstandard. */
const decodesZstd = "createZstdDecompress" in zlib;

it("a body in Zstandard is decoded if this Node can, and refused otherwise", async () => {
  const answer = await answerTo("zstd", ZSTD_CHAT);

  expect(answer).toSatisfy(([status, text]: [number, string]) =>
    decodesZstd ? status === 200 : status === 400 && text.includes("zstd needs Node 22.15"),
  );
});
