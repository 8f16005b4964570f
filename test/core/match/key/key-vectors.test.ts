import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WireHeaders } from "../../../../src/core/call/call.ts";
import { readBody } from "../../../../src/core/base/read-body.ts";
import { computeKey, formatCanonicalRequest, normalizeRequest } from "../../../../src/core/match/key/key.ts";
import { sha256 } from "../../../support/a-recording.ts";

interface Vector {
  readonly what: string;
  readonly provider: string;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly headers?: WireHeaders;
  /** Origins by value. */
  readonly values?: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
  readonly canonicalForm: string;
  readonly key: string;
}

const file = join(import.meta.dirname, "../../../../docs/key-vectors.json");
const vectors = JSON.parse(readFileSync(file, "utf8")) as readonly Vector[];

describe("the key as docs/key.md describes it", () => {
  it.each(vectors.map((vector) => [vector.what, vector] as const))("%s", (_, vector) => {
    const { provider, operation, method, path, contentType, headers = [], bodyBase64 } = vector;
    const body = readBody({ body: Buffer.from(bodyBase64, "base64"), contentType });
    const values = Object.entries(vector.values ?? {}).map(([text, origin]) => ({ text, origin }));
    const request = { provider, operation, method, path, headers, values, body };

    expect(formatCanonicalRequest(normalizeRequest(request, undefined), sha256)).toBe(vector.canonicalForm);
    expect(computeKey(request, sha256)).toBe(vector.key);
  });

  it("keeps vectors apart that are different calls, and only those", () => {
    const keys = vectors.map(({ key }) => key);

    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(vectors.length - 1);
  });
});
