import { describe, expect, it } from "vitest";
import { rememberedAddress, type AddressPlaces } from "../../../src/editor/session/remembered-address.ts";

const ADDRESS = { port: 43_210, token: "t0ken-of-192-bits-in-base64url-x" };
const OTHER = { port: 43_219, token: "an0ther-one-of-192-bits-in-base6" };

/** What a window's storage is: a state and a keyring, which may forget with the window, or refuse. */
function places(keyring: "lasts" | "forgets" | "refuses") {
  const state = new Map<string, unknown>();
  const secrets = new Map<string, string>();
  const locked = (): Promise<never> => Promise.reject(new Error("the keyring is locked"));
  return {
    state,
    secrets,
    /** As a window has it that is opened now. */
    window: () => {
      if (keyring === "forgets") secrets.clear();
      const refuses = keyring === "refuses";
      const own: AddressPlaces = {
        key: "address",
        memento: {
          keys: () => [...state.keys()],
          get: (key: string) => state.get(key),
          update: async (key: string, value: unknown) => void state.set(key, value),
        },
        secrets: {
          get: (name) => (refuses ? locked() : Promise.resolve(secrets.get(name))),
          store: (name, value) => (refuses ? locked() : Promise.resolve(void secrets.set(name, value))),
        },
      };
      return rememberedAddress(own);
    },
  };
}

describe("the address of a workspace", () => {
  it("comes again in the next window, with its token among the secrets and not in the workspace's state", async () => {
    const { state, secrets, window } = places("lasts");
    expect(await window().read()).toBeUndefined();

    await window().keep(ADDRESS);

    expect(await window().read()).toEqual(ADDRESS);
    expect(JSON.stringify([...state])).not.toContain(ADDRESS.token);
    expect([...secrets.values()]).toEqual([ADDRESS.token]);
  });

  it("that takes another's place leaves no secret behind", async () => {
    const { secrets, window } = places("lasts");
    await window().keep(ADDRESS);
    const next = window();
    await next.read();

    await next.keep(OTHER);

    expect(await window().read()).toEqual(OTHER);
    expect([...secrets.values()]).toEqual([OTHER.token]);
  });

  it.each(["forgets", "refuses"] as const)(
    "comes again where the keyring %s: then the state keeps it, after one window at most",
    async (keyring) => {
      const { window } = places(keyring);
      const first = window();
      await first.read();
      await first.keep(ADDRESS);
      const second = window();
      if ((await second.read()) === undefined) await second.keep(OTHER);

      const third = await window().read();
      const fourth = await window().read();

      expect(third).toEqual(keyring === "refuses" ? ADDRESS : OTHER);
      expect(fourth).toEqual(third);
    },
  );

  it.each([
    [null],
    [{ port: 1 }],
    [{ port: "1", secret: "a" }],
    [{ port: 80_000, secret: "address a" }],
    ["text"],
  ])("is none where the state holds %j", async (kept) => {
    const { state, secrets, window } = places("lasts");
    secrets.set("address a", ADDRESS.token);
    state.set("address", kept);

    expect(await window().read()).toBeUndefined();
  });
});
