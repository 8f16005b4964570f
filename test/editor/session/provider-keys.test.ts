import { describe, expect, it, onTestFinished } from "vitest";
import { createProviderKeys, withKeys } from "../../../src/editor/session/provider-keys.ts";
import type { Key, Mode } from "../../../src/core/call/call.ts";
import { openDeck } from "../../../src/deck/deck.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aChat } from "../calls-tree/a-calls-tree.ts";

const KEY: Key = `sha256:${"0".repeat(64)}`;
const providers = [
  { name: "openai", variables: ["OPENAI_API_KEY", "OPENAI_KEY"] },
  { name: "anthropic", variables: ["ANTHROPIC_API_KEY"] },
];

/** Keys in secret storage of this window alone. */
async function someKeys() {
  const kept = new Map<string, string>();
  const keys = createProviderKeys({
    get: async (name) => kept.get(name),
    store: async (name, value) => void kept.set(name, value),
    delete: async (name) => void kept.delete(name),
  });
  await keys.set("openai", "sk-kept");
  return { keys, kept, providers };
}

describe("keys that a person gave to Tapedeck", () => {
  it.each([
    ["record", { OPENAI_API_KEY: "sk-kept" }],
    ["refresh", { OPENAI_API_KEY: "sk-kept" }],
    ["strict", {}],
    ["lenient", {}],
  ] as readonly (readonly [Mode, object])[])(
    "reach a run in mode %s as they should",
    async (mode, wanted) => {
      expect(await withKeys({ PATH: "/bin" }, { mode }, await someKeys())).toEqual({
        PATH: "/bin",
        ...wanted,
      });
    },
  );

  it("reach a strict run in which one call is recorded", async () => {
    const overrides = new Map([[KEY, "record" as const]]);

    expect(await withKeys({}, { mode: "strict", overrides }, await someKeys())).toEqual({
      OPENAI_API_KEY: "sk-kept",
    });
  });

  it("yield to a key of that provider in the run, under any name, unless it is empty", async () => {
    const own = { OPENAI_API_KEY: "", OPENAI_KEY: "sk-own" };

    expect(await withKeys(own, { mode: "record" }, await someKeys())).toEqual(own);
    expect(await withKeys({ OPENAI_API_KEY: "" }, { mode: "record" }, await someKeys())).toEqual({
      OPENAI_API_KEY: "sk-kept",
    });
  });

  it.each([
    ["that was given just now", false],
    ["that an earlier window was given, once a run asked for it", true],
  ])("are found in recordings without a known format: one %s", async (_, isOfEarlier) => {
    const deck = openDeck({ dir: `${aFolder()}/.tapedeck` });
    onTestFinished(() => deck.close());
    const said = aChat("Where is it?", {
      reply: `Ask with Plain7Key0Of${isOfEarlier ? "An8Earlier" : "This9"}Window.`,
    });
    await expect(deck.admit(said)).resolves.toBe(said);
    const { keys, kept } = await someKeys();

    if (isOfEarlier) {
      kept.set("tapedeck.key.openai", "Plain7Key0OfAn8EarlierWindow");
      await withKeys({}, { mode: "record" }, { keys, providers });
    } else await keys.set("openai", "Plain7Key0OfThis9Window");

    await expect(deck.admit(said)).rejects.toThrow("secret from an environment variable");
  });

  it("are gone once they are removed, and a keyring that refuses holds up no run", async () => {
    const { keys, kept } = await someKeys();
    await keys.set("openai", undefined);
    const refusing = { get: () => Promise.reject(new Error("locked")), set: () => Promise.resolve() };

    expect([...kept]).toEqual([]);
    expect(await withKeys({}, { mode: "record" }, { keys: refusing, providers })).toEqual({});
  });
});
