import { describe, expect, it } from "vitest";
import {
  addressOfTeam,
  fetchedText,
  pulledText,
  pushedText,
  saidInWindow,
  teamNote,
} from "../../../src/editor/team/team-model.ts";

describe("the address of a team's cache", () => {
  it.each([
    ["", {}, undefined],
    ["", { TAPEDECK_REMOTE: "" }, undefined],
    ["", { TAPEDECK_REMOTE: "/mnt/team" }, "/mnt/team"],
    [" s3://ours/tapes ", { TAPEDECK_REMOTE: "/mnt/team" }, "s3://ours/tapes"],
  ])("of the setting %j and the environment %j is %j", (setting, env, address) => {
    expect(addressOfTeam(setting, env)).toBe(address);
  });
});

describe("what is said of it in a window", () => {
  it("adds nothing, whatever the environment says, and takes the key that was given first", () => {
    const env = { TAPEDECK_REMOTE_KEY: "theirs", TAPEDECK_REMOTE_WRITE: "1", TAPEDECK_REMOTE_SCOPE: "pr-1" };

    expect(saidInWindow("/mnt/team", "given", { env })).toEqual({
      address: "/mnt/team",
      key: "given",
      scope: "pr-1",
      writes: false,
      encrypt: false,
    });
    expect(saidInWindow("/mnt/team", undefined, { env, writes: true })).toMatchObject({
      key: "theirs",
      writes: true,
    });
  });
});

describe("the state of it", () => {
  const team = {
    name: "/mnt/team",
    counts: () => ({ brought: 2, added: 0, unsent: 0 }),
    trouble: () => undefined,
  };

  it("is what it gave, or why it is not asked, and nothing before it was asked", () => {
    expect(teamNote(team)).toBe("Team's cache /mnt/team: 2 recordings fetched in this window.");
    expect(teamNote({ ...team, trouble: () => "It is gone." })).toBe("Team's cache: It is gone.");
    expect(teamNote({ ...team, name: undefined })).toBeUndefined();
    expect(teamNote(undefined)).toBeUndefined();
  });
});

describe("what came of a transfer", () => {
  it("of one call is told, and why the cache could not be asked", () => {
    expect(fetchedText(true, undefined)).toContain("this call is answered now");
    expect(fetchedText(false, { trouble: () => undefined })).toContain("does not have this call either");
    expect(fetchedText(false, { trouble: () => "It is gone." })).toBe(
      "The team's cache could not be asked. It is gone.",
    );
  });

  it("is told in a sentence", () => {
    expect(pulledText({ brought: ["a"], here: 3, refused: ["b"] }, "/mnt/team")).toBe(
      "1 recording brought from /mnt/team. 1 object there could not be used; the log says why.",
    );
    expect(pulledText({ brought: [], here: 3, refused: [] }, "/mnt/team")).toBe(
      "/mnt/team has nothing that is not here (3 were here).",
    );
    expect(pushedText({ added: ["a", "b"], there: 1, kept: [] }, "/mnt/team")).toBe(
      "2 recordings sent to /mnt/team.",
    );
    expect(pushedText({ added: [], there: 1, kept: [{ entry: "a", why: "b" }] }, "/mnt/team")).toBe(
      "Nothing was sent: /mnt/team has all 1 that may be. 1 recording not sent; the log says why.",
    );
  });
});
