import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { explain, isTapedeckError } from "../../../src/core/base/errors.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { answersOf } from "../../support/page-of-answers.ts";

const providers = createProviders();
/** Calls with their operations. */
const ROUTES = readFileSync(join(import.meta.dirname, "routes.txt"), "utf8")
  .trim()
  .split("\n");

function faultOf(overrides: Record<string, string>): string {
  try {
    createProviders(overrides);
    return "accepted";
  } catch (error) {
    return isTapedeckError(error) ? `${error.code}: ${explain(error)}` : `a bug: ${String(error)}`;
  }
}

describe("the built-in providers", () => {
  it("have usable names and, except Azure, Bedrock, and Foundry, default addresses", () => {
    const addresses = Object.fromEntries(
      providers.names.flatMap((name) => {
        const upstream = providers.get(name)?.upstream;
        return upstream === undefined ? [] : [[name, upstream] as const];
      }),
    );
    const again = createProviders(addresses);

    expect(providers.names.filter((name) => !(name in addresses))).toEqual(["azure", "bedrock", "foundry"]);
    expect(again.names.map((name) => again.get(name))).toEqual(
      providers.names.map((name) => ({
        ...providers.get(name),
        ...(name in addresses && { isUsersOwn: true, isNamed: true }),
      })),
    );
  });

  it.each(ROUTES)("%s", (line) => {
    const [call = "", expected] = line.split(" → ");
    const [provider = "", method = "", path = ""] = call.split(" ");

    expect(providers.protocolFor({ provider, method, path })?.protocol.operation).toBe(expected);
  });

  it("choose DashScope's stream by a header when asked, and by its name when recorded", () => {
    const path = "/api/v1/services/aigc/text-generation/generation";
    const operation = (more: object): string | undefined =>
      providers.protocolFor({ provider: "dashscope", method: "POST", path, ...more })?.protocol.operation;
    const asked = (name: string, value: string) => operation({ headers: [[name, value]] });

    expect([
      asked("x-dashscope-sse", "enable"),
      asked("accept", "text/event-stream"),
      operation({ operation: "text-generation.stream" }),
    ]).toEqual(Array(3).fill("text-generation.stream"));
    expect([asked("accept", "application/json"), operation({ operation: "text-generation" })]).toEqual(
      Array(2).fill("text-generation"),
    );
  });

  it("do not include an unknown name or a property that every object has", () => {
    expect(providers.get("nobody")).toBeUndefined();
    expect(providers.get("constructor")).toBeUndefined();
    expect(providers.protocolFor({ provider: "nobody", method: "GET", path: "/" })).toBeUndefined();
  });
});

describe("a provider of the user's own", () => {
  it("replaces a built-in address and keeps everything else", () => {
    const { variables, dialect, upstream } = createProviders({ openai: "http://localhost:4000/proxy/" }).get(
      "openai",
    )!;

    expect(upstream).toBe("http://localhost:4000/proxy");
    expect({ variables, dialect }).toEqual({
      variables: providers.get("openai")?.variables,
      dialect: providers.get("openai")?.dialect,
    });
  });

  it("is plain HTTP under a name that is not built in", () => {
    const own = createProviders({ "my-llm.v2": "https://llm.example/api" });

    const found = own.protocolFor({ provider: "my-llm.v2", method: "POST", path: "/v1/chat/completions" });

    expect(own.names.at(-1)).toBe("my-llm.v2");
    expect(found?.protocol.operation).toBe("http");
    expect(found?.provider.upstream).toBe("https://llm.example/api");
  });

  it("may be at the addresses that the page has, and at no other", async () => {
    const page = join(import.meta.dirname, "upstream-addresses.txt");
    const answers = await answersOf(page, (address) => {
      const fault = faultOf({ own: address });
      return fault === "accepted" ? createProviders({ own: address }).get("own")?.upstream : fault;
    });

    await expect(answers).toMatchFileSnapshot(page);
  });

  it("is refused with a password in its address, without repeating it", () => {
    const fault = faultOf({ own: "https://me:s3cret@api.example.com" });

    expect(fault).toContain("it contains a user name or a password");
    expect(fault).not.toContain("s3cret");
  });

  it.each(["", "a b", ...`. .. a/b Own a%2e ünı con nul.txt com1 end. ${"x".repeat(65)}`.split(" ")])(
    "may not be called %j",
    (name) => {
      const fault = faultOf({ [name]: "https://api.example.com" });

      expect(fault).toContain(`tapedeck_usage: "${name}" cannot be the name of a provider.`);
    },
  );
});

test("an address for a host's name changes no operation, whether or not the project has recordings of it", () => {
  const call = { provider: "api.example.com", method: "POST", path: "/v1/chat/completions" };
  const named = { "api.example.com": "https://gateway.example" };
  const tables = [
    createProviders(),
    createProviders(named),
    createProviders(named, undefined, ["api.example.com"]),
  ];

  const operations = tables.map((table) => table.protocolFor(call)?.protocol.operation);

  expect(operations).toEqual(["chat.completions", "chat.completions", "chat.completions"]);
});
