import { describe, expect, it } from "vitest";
import {
  createAcceptedNearest,
  explainCannotAccept,
} from "../../../src/editor/call-commands/accept-nearest-model.ts";
import { aMiss } from "../call-events.ts";
import { aChat } from "../calls-tree/a-calls-tree.ts";

describe("accepting the nearest recording unchanged", () => {
  const miss = aMiss("Say hi!", "Say hi");
  const nearest = aChat("Say hi");

  it("answers the call that was asked with the bytes that were recorded", () => {
    const test = { file: "a.test.ts", name: ["a"], execution: "e1" };

    const made = createAcceptedNearest({ miss, nearest, test, recordedAt: "2026-11-21T06:00:00.000Z" });

    expect(made).toMatchObject({ key: miss.key, provider: miss.provider, request: miss.request });
    expect(made.reply).toBe(nearest.reply);
    expect(made.test).toEqual({ file: "a.test.ts", name: ["a"] });
  });

  it.each(["/stream", "path", "method", "query"])("is refused where %s differs", (at) => {
    const differences = [
      { at: "/temperature", kind: "changed", text: "temperature 0.2 → 0.7" },
      { at, kind: "changed", text: "x 1 → 2" },
    ] as const;

    expect(explainCannotAccept(differences)?.message).toContain("x 1 → 2");
    expect(explainCannotAccept(differences.slice(0, 1))).toBeUndefined();
  });
});
