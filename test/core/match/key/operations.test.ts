import { expect, it } from "vitest";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import { corpus } from "../../../support/corpus/corpus.ts";

const providers = createProviders();

interface RequestHead {
  readonly provider: string;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
}

const operationAt = (request: RequestHead): string | undefined =>
  providers.protocolFor(request)?.protocol.operation;

/** The shortest end of the path that decides after any beginning, with a star for what may be anything; else all of it. */
function patternOf(request: RequestHead): string {
  const operation = operationAt(request);
  const isSame = (segments: readonly string[]): boolean =>
    operationAt({ ...request, path: `/${segments.join("/")}` }) === operation;
  let segments = (request.path.split("?")[0] ?? "").split("/").slice(1);
  const isOpen = isSame(["any", ...segments]);
  if (isOpen)
    while (segments.length > 1 && isSame(["any", ...segments.slice(1)])) segments = segments.slice(1);
  const before = isOpen ? ["any"] : [];
  for (const [at, segment] of segments.entries()) {
    const starred = ["*", segment.replace(/^[^:]*/, "*")].map((star) => segments.with(at, star));
    segments = starred.find((one) => isSame([...before, ...one])) ?? segments;
  }
  return `${isOpen ? "…" : ""}/${segments.join("/")}`;
}

/** The rows of the page: what each family of providers calls its operations, and by what they are known. */
function rows(): readonly string[] {
  const found = new Map<string, Set<string>>();
  const shapes = new Set<string>();
  for (const { operation, request } of corpus()) {
    const { method, path } = request;
    const headers = Object.entries(request.headers ?? {});
    // A name such as "image2image" is no ID, and neither is a version such as "v1beta".
    const named = path.replaceAll(/(?<=\/)(?!(?:[a-z]+2[a-z]+|v\d[a-z]*)\/)[^/]*\d[^/]*(?=\/|$)/g, "1");
    const shape = `${operation} ${method} ${named} ${headers.join(",")}`;
    if (operation === "http" || shapes.has(shape)) continue;
    shapes.add(shape);
    for (const provider of providers.names) {
      const head = { provider, method, path, headers };
      if (operationAt(head) !== operation) continue;
      const where = headers.map(([name, value]) => `, \`${name}: ${value}\``).join("");
      const row = `\`${operation}\` | \`${method} ${patternOf(head)}\`${where}`;
      found.set(row, (found.get(row) ?? new Set()).add(provider));
    }
  }
  return [...found]
    .map(([row, names]) => `| ${row} | ${[...names].sort().join(", ")} |`)
    .sort((a, b) => (a < b ? -1 : 1));
}

it("the operations of the key match docs/tables/operations.md", async () => {
  const all = rows();

  expect(all.length).toBeGreaterThan(40);
  const page = [
    "# Operations in the key",
    "",
    "Written by `npx vitest run test/core/match/key/operations.test.ts -u`.",
    "The third string of a key's [canonical form](../key.md) is the operation, which follows from method and path.",
    "`…` is any prefix, `*` one path segment (or its part before `:`). Requests that match no row are `http`, as are all requests to providers that you name yourself.",
    "If several rows match, the longest path wins. Anthropic's `messages` can also be `POST /messages`.",
    "",
    "| operation | request | provider |",
    "| --- | --- | --- |",
    ...all,
    "",
  ].join("\n");
  await expect(page).toMatchFileSnapshot("../../../../docs/tables/operations.md");
});
