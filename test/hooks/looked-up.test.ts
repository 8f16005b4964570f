import { createRequire } from "node:module";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const { watchLookups } = createRequire(import.meta.url)("../../src/hooks/javascript/looked-up.cjs") as {
  watchLookups: (
    dns: object,
    isProvider: (host: string) => boolean,
  ) => (address: string, port: number) => string | undefined;
};

type LookupCallback = (error: Error | null, found: unknown, family?: number) => void;

/** A `node:dns` that knows the addresses of these names. */
function aDns(known: Readonly<Record<string, unknown>>) {
  class Resolver {
    resolve4(host: string, then: LookupCallback): void {
      then(null, known[host]);
    }
  }
  return {
    Resolver,
    lookup: (host: string, ...args: readonly unknown[]): void =>
      (args.at(-1) as LookupCallback)(null, known[host], 4),
    promises: {
      Resolver: class extends Resolver {},
      lookup: async (host: string): Promise<unknown> => await Promise.resolve(known[host]),
    },
  };
}

const isProvider = (host: string): boolean => host === "api.openai.com";

test("an address means the provider whose name was looked up, in every form of the answer", async () => {
  const dns = aDns({
    "api.openai.com": [{ address: "192.0.2.1", family: 4 }, "192.0.2.2", { address: "2001:db8::1", ttl: 3 }],
  });
  const lookedUp = watchLookups(dns, isProvider);
  const before = lookedUp("192.0.2.1", 443);

  await promisify(dns.lookup)("api.openai.com");

  const hosts = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "192.0.2.3"].map((one) => lookedUp(one, 443));
  expect(before).toBeUndefined();
  expect(hosts).toEqual(["api.openai.com", "api.openai.com", "api.openai.com", undefined]);
  expect(lookedUp("192.0.2.1", 5432)).toBeUndefined();
});

test("an address that two names share means the one that was looked up last", async () => {
  const dns = aDns({ "api.openai.com": { address: "192.0.2.1" }, "example.com": "192.0.2.1" });
  const lookedUp = watchLookups(dns, isProvider);

  await dns.promises.lookup("api.openai.com");
  const first = lookedUp("192.0.2.1", 443);
  new dns.Resolver().resolve4("example.com", () => {});

  expect([first, lookedUp("192.0.2.1", 443)]).toEqual(["api.openai.com", ""]);
});

test.each(["127.0.0.1", "0.0.0.0", "::1"])(
  "a provider's name that means this machine is a test's own: %s",
  async (address) => {
    const dns = aDns({ "api.openai.com": address });
    const lookedUp = watchLookups(dns, isProvider);

    await dns.promises.lookup("api.openai.com");

    expect(lookedUp(address, 443)).toBeUndefined();
  },
);
