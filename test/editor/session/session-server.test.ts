import { describe, expect, it, onTestFinished } from "vitest";
import { createRun } from "../../../src/core/answer/runs.ts";
import { openDeck } from "../../../src/deck/deck.ts";
import { createServing, type SessionServing } from "../../../src/editor/session/session-server.ts";
import type { ServerAddress } from "../../../src/editor/window/remembered-address.ts";
import { aFolder } from "../../support/a-folder.ts";

/** State that the windows of a folder share. */
interface Memory {
  address: ServerAddress | undefined;
}

function aWindow(memory: Memory): SessionServing {
  const deck = openDeck({ dir: aFolder() });
  const serving = createServing({
    deck: () => deck,
    run: createRun({ id: "workspace", mode: "strict" }),
    remembered: {
      read: async () => memory.address,
      keep: async (address) => void (memory.address = address),
    },
    roots: [],
    onGuard: () => undefined,
    onTests: () => {},
  });
  onTestFinished(async () => {
    await serving.close();
    await deck.close();
  });
  return serving;
}

const urlOf = async (serving: SessionServing): Promise<string> => (await serving.ensure()).admission.url;

describe("the address of a window", () => {
  it("is that of the window before", async () => {
    const memory: Memory = { address: undefined };
    const before = aWindow(memory);
    const url = await urlOf(before);
    await before.close();

    expect(await urlOf(aWindow(memory))).toBe(url);
  });

  it("is different for two windows of a folder, and each keeps its own after a reload", async () => {
    const memory: Memory = { address: undefined };
    const one = aWindow(memory);
    const other = aWindow(memory);
    const urls = [await urlOf(one), await urlOf(other)];

    await other.close();
    const otherAgain = await urlOf(aWindow(memory));
    await one.close();
    const oneAgain = await urlOf(aWindow(memory));

    expect(new Set(urls).size).toBe(2);
    expect([oneAgain, otherAgain]).toEqual(urls);
  });

  it("is replaced and saved when the old one and its neighbors are in use", async () => {
    const memory: Memory = { address: undefined };
    await aWindow(memory).ensure();
    const before = memory.address;

    // A neighboring port may already be in use on this machine; then the fallback happens sooner.
    let url = "";
    for (let others = 1; others <= 8 && memory.address === before; others += 1)
      url = await urlOf(aWindow(memory));

    expect(memory.address).not.toEqual(before);
    expect(url).toBe(`http://127.0.0.1:${memory.address?.port}/${memory.address?.token}`);
  });
});
