import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../src/importing/decode-body.ts";

const MIB = 1_048_576;
const FAST = { level: 1 };
const GZIP = [["content-encoding", "gzip"]] as const;
/** As long as a body may be. */
const LONGEST = gzipSync(Buffer.alloc(64 * MIB), FAST);

describe("a body of a file that is imported", () => {
  it("is not unpacked further than it may be long, however small it is packed", async () => {
    const bomb = Buffer.concat(Array.from({ length: 16 }, () => LONGEST));
    const before = process.memoryUsage.rss();
    let peak = before;
    const watching = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 1);

    const decoded = await decodeBody({ headers: GZIP, body: bomb });
    clearInterval(watching);

    expect(decoded).toEqual({ skipped: "has a body of more than 64 MiB" });
    console.log(
      `▸ 1 GiB in ${(bomb.byteLength / MIB).toFixed(1)} MiB: ${Math.round((peak - before) / MIB)} MiB of memory at most`,
    );
  });

  it("is whole up to that length, in two encodings as well", async () => {
    const once = await decodeBody({ headers: GZIP, body: LONGEST });
    const twice = await decodeBody({
      headers: [["content-encoding", "gzip, gzip"]],
      body: gzipSync(LONGEST, FAST),
    });

    expect([once, twice].map((one) => ("skipped" in one ? one.skipped : one.byteLength))).toEqual([
      64 * MIB,
      64 * MIB,
    ]);
  });

  it("is left out when it is longer without any encoding", async () => {
    expect(await decodeBody({ headers: [], body: Buffer.alloc(64 * MIB + 1) })).toHaveProperty("skipped");
  });

  it("is left out with its encoding if that is unknown", async () => {
    const headers = [["content-encoding", "rot13"]] as const;

    expect(await decodeBody({ headers, body: Buffer.from([1, 255]) })).toEqual({
      skipped: 'has a body in the content encoding "rot13", which this Node.js cannot decode',
    });
  });

  it("is left out if it declares more encodings than are in use", async () => {
    const many = Array.from({ length: 6 }, () => "gzip").join(", ");
    let body = Buffer.from("{}");
    for (let at = 0; at < 6; at += 1) body = gzipSync(body);

    expect(await decodeBody({ headers: [["content-encoding", many]], body })).toHaveProperty("skipped");
  });
});
