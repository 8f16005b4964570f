import { describe, expect, it } from "vitest";
import {
  findAddressOfTeam,
  describePulled,
  describePushed,
  createRemoteOptions,
  describeTeam,
} from "../../../src/editor/session/team-model.ts";

describe("the address of a team's cache", () => {
  it.each([
    ["", {}, undefined],
    ["", { TAPEDECK_REMOTE: "" }, undefined],
    ["", { TAPEDECK_REMOTE: "/mnt/team" }, "/mnt/team"],
    [" s3://ours/tapes ", { TAPEDECK_REMOTE: "/mnt/team" }, "s3://ours/tapes"],
  ])("of the setting %j and the environment %j is %j", (setting, env, address) => {
    expect(findAddressOfTeam(setting, env)).toBe(address);
  });
});

describe("the team cache of a window", () => {
  it("gets no uploads, regardless of the environment, and prefers the key that was given", () => {
    const env = { TAPEDECK_REMOTE_KEY: "theirs", TAPEDECK_REMOTE_WRITE: "1" };

    expect(createRemoteOptions("/mnt/team", "given", env)).toEqual({
      address: "/mnt/team",
      key: "given",
      writes: false,
    });
    expect(createRemoteOptions("/mnt/team", undefined, env)).toMatchObject({ key: "theirs" });
  });
});

describe("the state of it", () => {
  const team = {
    name: "/mnt/team",
    counts: () => ({ brought: 2, added: 0, unsent: 0, refused: [] }),
    trouble: () => undefined,
  };

  it("is its last answer, or the reason why it is not used, and empty before the first request", () => {
    expect(describeTeam(team)).toBe("Team cache /mnt/team: 2 recordings downloaded in this window.");
    expect(describeTeam({ ...team, trouble: () => "It is gone." })).toBe("Team cache: It is gone.");
    expect(describeTeam({ ...team, name: undefined })).toBeUndefined();
    expect(describeTeam(undefined)).toBeUndefined();
  });
});

describe("the result of a transfer", () => {
  it("is reported in a sentence", () => {
    expect(describePulled({ brought: ["a"], here: 3, refused: ["b"] }, "/mnt/team")).toBe(
      "1 recording downloaded from /mnt/team. 1 object could not be used; the log has the reason.",
    );
    expect(describePulled({ brought: [], here: 3, refused: [] }, "/mnt/team")).toBe(
      "/mnt/team has no other recordings (3 calls are already here).",
    );
    expect(describePushed({ added: ["a", "b"], there: 1, newer: ["c"], kept: [] }, "/mnt/team")).toBe(
      "2 recordings uploaded to /mnt/team. 1 recording not uploaded, because the cache has a newer one.",
    );
    const kept = [{ entry: "a", why: "b" }];
    expect(describePushed({ added: [], there: 1, newer: [], kept }, "/mnt/team")).toBe(
      "Nothing was uploaded, because /mnt/team already has 1 recording. 1 recording not uploaded; the log has the reason.",
    );
  });
});
