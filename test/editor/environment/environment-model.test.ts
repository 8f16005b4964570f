import { describe, expect, it } from "vitest";
import {
  type EnvironmentInput,
  type EnvironmentPlan,
  applyChanges,
  extendDebugEnvironment,
  readEnvFile,
  planEnvironment,
  listReachNotes,
  withoutPlaceholders,
} from "../../../src/editor/environment/environment-model.ts";
import { createRunEnvironment } from "../../../src/editor/session/session-runs.ts";
import { createProcessEnvironment } from "../../../src/editor/environment/host-environment.ts";
import { createHookVariables } from "../../../src/hooks/environment.ts";
import { PLACEHOLDER_KEY } from "../../../src/core/protocol/providers.ts";

const url = "http://127.0.0.1:4000/token";
const preload = '--require="/hooks/javascript/tapedeck-preload.cjs"';

function aPlan(changes: Partial<EnvironmentInput> = {}): EnvironmentPlan {
  return planEnvironment({
    addresses: { OPENAI_BASE_URL: `${url}/openai/v1` },
    providers: [{ keyVariables: ["OPENAI_API_KEY"] }],
    hooks: createHookVariables({ hooksDir: "/hooks", url, roots: ["/work"], delimiter: ":" }),
    user: {},
    elsewhere: new Set(),
    delimiter: ":",
    ...changes,
  });
}

/** The variables of the user's environment, by topic. */
const USERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "values of NODE_OPTIONS and PYTHONPATH, which stay": {
    NODE_OPTIONS: "--inspect",
    PYTHONPATH: "/mine",
    HOME: "/",
  },
  nothing: {},
  "lists with empty entries": { PYTHONPATH: ":/mine::", NO_PROXY: ",corp," },
  "hosts without a proxy": { NO_PROXY: "corp" },
  "hosts without a proxy, in the other spelling": { no_proxy: "corp, localhost" },
  "hosts without a proxy, in both spellings": { NO_PROXY: "one", no_proxy: "two" },
  "no proxy at all": { NO_PROXY: "*" },
};

it("the variables of a process are as the page has them, have no empty entry, and stay so when applied again", async () => {
  const page = Object.entries(USERS).flatMap(([title, user]) => {
    const { changes } = aPlan({ user });
    const variables = { ...user, ...applyChanges(changes, user) };
    expect({ ...variables, ...applyChanges(changes, variables) }).toEqual(variables);
    return [`# ${title}`, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`), ""];
  });

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("\n")).toMatchFileSnapshot("variables.txt");
});

describe("placeholder keys", () => {
  it.each([
    ["in the environment", { user: { OPENAI_API_KEY: "sk-mine" } }],
    ["in a .env file", { elsewhere: new Set(["OPENAI_API_KEY"]) }],
  ])("never hide a key of the user's %s", (_, changes) => {
    const { changes: planned } = aPlan(changes);

    expect(planned.map(({ name }) => name)).not.toContain("OPENAI_API_KEY");
  });

  it("are set for every client of a provider, and for none when one credential is there", () => {
    const providers = [
      { keyVariables: ["OF_SDK", "OF_FRAMEWORK"], otherCredentials: ["A_TOKEN"] },
      { keyVariables: ["A_KEY", "B_KEY"] },
      { keyVariables: ["C_KEY"], otherCredentials: ["C_TOKEN"] },
    ];

    const { changes } = aPlan({ providers, user: { B_KEY: "mine", C_TOKEN: "mine" } });

    expect(changes.filter(({ value }) => value === PLACEHOLDER_KEY).map(({ name }) => name)).toEqual([
      "OF_SDK",
      "OF_FRAMEWORK",
    ]);
  });

  it("are not given to a run that may call a provider, not even for one call", () => {
    const { changes } = aPlan();
    const key = `sha256:${"0".repeat(64)}` as const;

    const strict = createRunEnvironment({ mode: "strict" }, changes, {});
    const record = createRunEnvironment({ mode: "record" }, changes, {});
    const oneCall = createRunEnvironment(
      { mode: "strict", overrides: new Map([[key, "refresh"]]) },
      changes,
      {},
    );

    expect(strict["OPENAI_API_KEY"]).toBe(PLACEHOLDER_KEY);
    expect(record["OPENAI_API_KEY"]).toBeUndefined();
    expect(oneCall["OPENAI_API_KEY"]).toBeUndefined();
  });
});

it("a separate run gets the user's whole environment without VS Code's variables", () => {
  const own = { PATH: "/bin", VSCODE_IPC_HOOK: "x", ELECTRON_RUN_AS_NODE: "1", EMPTY: undefined };

  const environment = createRunEnvironment({ mode: "strict" }, withoutPlaceholders(aPlan().changes), own);

  expect(Object.keys(environment).sort().join(" ")).toBe(
    "NODE_OPTIONS NO_PROXY OPENAI_BASE_URL PATH PYTHONPATH TAPEDECK_GUARD TAPEDECK_ROOTS TAPEDECK_URL no_proxy",
  );
});

describe("an address of the user's own", () => {
  it("is shown by its origin, without possibly secret parts", () => {
    const { notes } = aPlan({ user: { OPENAI_BASE_URL: "https://me:secret@proxy.example/v1?key=secret" } });

    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain("OPENAI_BASE_URL was set to https://proxy.example.");
    expect(notes[0]).toContain("tapedeck.upstreams");
    expect(notes[0]).not.toContain("secret");
  });

  it("is shown as the upstream when calls are forwarded to it", () => {
    const { notes } = aPlan({
      user: { OPENAI_BASE_URL: "https://proxy.example/v1" },
      goingOn: new Map([["OPENAI_BASE_URL", "https://proxy.example"]]),
    });

    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain("forwards calls to https://proxy.example.");
    expect(notes[0]).not.toContain("tapedeck.upstreams");
  });
});

describe("the extension host's own environment", () => {
  it("gets back exactly its previous values", () => {
    const variables = { OPENAI_BASE_URL: "https://mine.example", NODE_OPTIONS: "--inspect", OTHER: "1" };
    const before = { ...variables };
    const environment = createProcessEnvironment(variables);

    environment.set(aPlan().changes);
    const during = { ...variables };
    environment.takeBack();

    expect(during.OPENAI_BASE_URL).toBe(`${url}/openai/v1`);
    expect(during.NODE_OPTIONS).toBe(`--inspect ${preload}`);
    expect(variables).toEqual(before);
  });

  it("keeps values that were set by others in the meantime", () => {
    const variables: Record<string, string> = {};
    const environment = createProcessEnvironment(variables);
    environment.set(aPlan().changes);

    variables["OPENAI_BASE_URL"] = "https://theirs.example";
    environment.takeBack();

    expect(variables).toEqual({ OPENAI_BASE_URL: "https://theirs.example" });
  });

  it("is known without us while we are in it", () => {
    const variables = { NODE_OPTIONS: "--inspect" };
    const environment = createProcessEnvironment(variables);

    environment.set(aPlan().changes);
    environment.set(aPlan({ addresses: {} }).changes);

    const own = Object.entries(environment.without()).filter(([, value]) => value !== undefined);
    expect(own).toEqual([["NODE_OPTIONS", "--inspect"]]);
  });
});

describe("a debug configuration", () => {
  const { changes } = aPlan();

  it("gets our variables and keeps its own", () => {
    const configuration = {
      request: "launch",
      env: { OPENAI_BASE_URL: "https://own.example", NODE_OPTIONS: "--own" },
    };

    const { env } = extendDebugEnvironment(configuration, changes, { own: {}, fromFile: [] });

    expect(env).toMatchObject({
      OPENAI_BASE_URL: "https://own.example",
      NODE_OPTIONS: `--own ${preload}`,
      TAPEDECK_URL: url,
      OPENAI_API_KEY: PLACEHOLDER_KEY,
    });
  });

  it("gets no placeholder for a key in its envFile, and nothing when it only attaches", () => {
    const launch = extendDebugEnvironment({ request: "launch", env: {} }, changes, {
      own: {},
      fromFile: ["OPENAI_API_KEY"],
    });
    const attach = extendDebugEnvironment({ request: "attach", env: { A: "1" } }, changes, {
      own: {},
      fromFile: [],
    });

    expect(launch.env).not.toHaveProperty("OPENAI_API_KEY");
    expect(attach.env).toEqual({ A: "1" });
  });

  it("has an envFile that is followed only if its path is known", () => {
    const named = "${workspaceFolder}/.env";
    const asked = "${input:file}";

    expect(readEnvFile({ envFile: named }, "/project")).toBe("/project/.env");
    expect(readEnvFile({ envFile: asked }, "/project")).toBeUndefined();
    expect(readEnvFile({}, "/project")).toBeUndefined();
  });
});

describe("the notes about calls that do not reach Tapedeck", () => {
  it("is nothing while the guard is on and processes get the variables", () => {
    expect(listReachNotes({ isGuarded: true, notes: [] }, { isShared: true })).toEqual([]);
  });

  it("names the guard when it is off, and the setting that keeps the variables back", () => {
    const plan = aPlan();

    const notes = listReachNotes(plan, { isShared: false });

    expect(plan.isGuarded).toBe(false);
    expect(notes).toEqual([
      expect.stringMatching(/^The guard is off, .*tapedeck\.guard/u),
      expect.stringContaining("tapedeck.environment.enabled"),
    ]);
  });
});

it("the gateway of a provider is noted, both as the upstream and as the source of its recordings", () => {
  const gateways = [
    { provider: "openai", named: "https://gateway.example/v1?key=x" },
    { provider: "anthropic", recorded: "http://10.0.0.1:4000" },
    { provider: "gemini" },
  ];

  expect(aPlan({ gateways }).notes).toEqual([
    "Calls to openai that are sent go to https://gateway.example.",
    "The recordings of anthropic came from http://10.0.0.1:4000. To record from there again, add it to the setting tapedeck.upstreams. Until then, no call is sent.",
  ]);
});
