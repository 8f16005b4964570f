import { describe, expect, it } from "vitest";
import {
  createRememberedAddress,
  type AddressPlaces,
} from "../../../src/editor/window/remembered-address.ts";

const ADDRESS = { port: 43_210, token: "t0ken-of-192-bits-in-base64url-x" };
const OTHER = { port: 43_219, token: "an0ther-one-of-192-bits-in-base6" };

/** A window's storage: a state and a keyring that keeps, forgets with the window, or refuses. */
function places(keyring: "lasts" | "forgets" | "refuses") {
  const state = new Map<string, unknown>();
  const secrets = new Map<string, string>();
  let sessions = 0;
  const locked = (): Promise<never> => Promise.reject(new Error("the keyring is locked"));
  return {
    state,
    secrets,
    /** As a window has it that is opened now. */
    window: (session = `session ${(sessions += 1)}`) => {
      if (keyring === "forgets") secrets.clear();
      const refuses = keyring === "refuses";
      const own: AddressPlaces = {
        key: "address",
        session,
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
      return createRememberedAddress(own);
    },
  };
}

describe("the address of a workspace", () => {
  it("is restored in the next window, and its token is only in secret storage once that has survived a restart", async () => {
    const { state, secrets, window } = places("lasts");
    expect(await window().read()).toBeUndefined();
    await window().keep(ADDRESS);

    const next = await window().read();

    expect([next, await window().read()]).toEqual([ADDRESS, ADDRESS]);
    expect(JSON.stringify([...state])).not.toContain(ADDRESS.token);
    expect([...secrets.values()]).toEqual([ADDRESS.token]);
  });

  it("that takes another's place leaves no secret behind", async () => {
    const { state, secrets, window } = places("lasts");
    await window().keep(ADDRESS);
    await window().read();

    await window().keep(OTHER);

    expect([await window().read(), await window().read()]).toEqual([OTHER, OTHER]);
    expect(JSON.stringify([...state])).not.toContain(OTHER.token);
    expect([...secrets.values()]).toEqual([OTHER.token]);
  });

  it("stays in the state while only the extensions are reloaded, which proves nothing about the keyring", async () => {
    const { secrets, window } = places("lasts");
    await window("one").keep(ADDRESS);
    await window("one").read();

    secrets.clear();

    expect(await window("two").read()).toEqual(ADDRESS);
  });

  it.each(["forgets", "refuses"] as const)("comes again where the keyring %s", async (keyring) => {
    const { window } = places(keyring);
    await window()
      .keep(ADDRESS)
      .catch(() => undefined);

    expect([await window().read(), await window().read()]).toEqual([ADDRESS, ADDRESS]);
  });

  it.each([
    [null],
    [{ port: 1 }],
    [{ port: "1", secret: "a" }],
    [{ port: 80_000, secret: "address a" }],
    ["text"],
  ])("is none when the state holds %j", async (kept) => {
    const { state, secrets, window } = places("lasts");
    secrets.set("address a", ADDRESS.token);
    state.set("address", kept);

    expect(await window().read()).toBeUndefined();
  });
});
