import { describe, expect, it } from "vitest";
import { readSettings, SETTINGS } from "../../../src/editor/settings/settings-model.ts";

describe("settings", () => {
  it("are their defaults when nothing is set", () => {
    const { settings, problems } = readSettings(() => undefined);

    expect(settings).toMatchObject({
      mode: "strict",
      folder: ".tapedeck",
      environment: true,
      // By choice: it concerns other extensions' agents too.
      environmentOfExtensions: false,
      testCommand: [],
    });
    expect(problems).toEqual([]);
  });

  it("are taken when they fit", () => {
    const values: Record<string, unknown> = {
      "tapedeck.mode": "lenient",
      "tapedeck.folder": " recordings ",
      "tapedeck.upstreams": { local: "http://127.0.0.1:8080" },
      "tapedeck.testCommand": ["npx", "vitest"],
      "tapedeck.environment.extensions": true,
      "tapedeck.limits": { cost: 3, ask: false },
    };

    const { settings, problems } = readSettings((key) => values[key]);

    expect(settings).toMatchObject({
      mode: "lenient",
      folder: "recordings",
      upstreams: { local: "http://127.0.0.1:8080" },
      testCommand: ["npx", "vitest"],
      environmentOfExtensions: true,
      limits: { calls: 1_000, tokens: 0, cost: 3, ask: false, prices: {} },
    });
    expect(problems).toEqual([]);
  });

  it.each([
    ["tapedeck.mode", "replay", 'one of strict, record, refresh, lenient, live, but it is "replay"'],
    ["tapedeck.limits", { calls: -1 }, 'an object with "calls", "tokens", and "cost"'],
    ["tapedeck.folder", "", 'the path of a folder, but it is ""'],
    ["tapedeck.upstreams", { openai: 1 }, "an object of provider names and addresses"],
    ["tapedeck.upstreams", ["https://a.example"], "it is a different list"],
    ["tapedeck.testCommand", { run: "npm test" }, "a list of strings"],
    ["tapedeck.environment.enabled", "yes", "true or false"],
    ["tapedeck.replay.timing", null, "one of none, recorded, but it is null"],
  ])("that do not fit are named and replaced by their default: %s = %j", (key, value, said) => {
    const { settings, problems } = readSettings((asked) => (asked === key ? value : undefined));

    expect(settings).toEqual(readSettings(() => undefined).settings);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`The setting ${key} must be`);
    expect(problems[0]).toContain(said);
  });

  it("never show an address that may hold a secret", () => {
    const { problems } = readSettings((key) =>
      key === SETTINGS.upstreams.key
        ? "https://me:secret@proxy.example/with/a/long/path/behind/it"
        : undefined,
    );

    expect(problems.join()).not.toContain("secret");
  });
});
