import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MODES } from "../../src/core/call/call.ts";
import {
  COMMANDS,
  CONTEXTS,
  LANGUAGES,
  VIEW_CONTAINER,
  VIEWS,
  WALKTHROUGH,
} from "../../src/editor/window/ids.ts";
import { contributions, contributionTexts, toolContributions } from "../../scripts/manifest.mjs";
import { TOOLS } from "../../src/agent/tools.ts";
import { SETTINGS } from "../../src/editor/settings/settings-model.ts";

const root = join(import.meta.dirname, "../..");
const english = JSON.parse(readFileSync(join(root, "package.nls.json"), "utf8")) as Record<string, string>;
const manifest = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8").replaceAll(/"%([^%"]+)%"/g, (_, key: string) =>
    JSON.stringify(english[key]),
  ),
) as Manifest;
const { contributes } = manifest;
const definitions = Object.values(SETTINGS);

interface Manifest {
  readonly icon: string;
  readonly activationEvents: readonly string[];
  readonly extensionKind: readonly string[];
  readonly browser?: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: { supported: string; restrictedConfigurations: readonly string[] };
    readonly virtualWorkspaces: object;
  };
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
    readonly views: Readonly<Record<string, readonly { id: string; icon: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { id: string; icon: string }[] };
    readonly viewsWelcome: readonly { view: string; contents: string; when: string }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly keybindings?: readonly { command: string }[];
    readonly languages: readonly { id: string; configuration?: string }[];
    readonly grammars?: readonly { path: string }[];
    readonly jsonValidation: readonly { url: string }[];
    readonly walkthroughs: readonly { id: string; steps: readonly Step[] }[];
  };
}

interface MenuItem {
  readonly command?: string;
  readonly when?: string;
  readonly group?: string;
}

interface Step {
  readonly description: string;
  readonly completionEvents: readonly string[];
  readonly media: { readonly image: Readonly<Record<string, string>> };
}

interface Command {
  readonly command: string;
  readonly title: string;
  readonly category?: string;
  readonly icon?: string;
  readonly enablement?: string;
}

interface Setting {
  readonly default: unknown;
  readonly scope: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly description?: string;
  readonly markdownDescription?: string;
}

const contributed = contributes.commands.map(({ command }) => command);
const everyCommand: readonly string[] = Object.values(COMMANDS);

/** Returns the text of all sources in a folder. */
const textsIn = (folder: string): string =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(root, folder, path), "utf8"))
    .join("\n");
const source = textsIn("src/editor");
const testsInVsCode = textsIn("test/host");

/** Keys, links and rows that run a command, as tests press them. */
const PRESSED_OTHERWISE: Readonly<Record<string, string>> = {
  openCall: 'clickRow("Is 9.11 larger")',
  setKey: 'runCommand("Tapedeck: Set Provider Key…"',
  ignoreDifference: 'chooseFix("Ignore this difference…")',
  fix: 'clickLens("1 failed")',
  replayFile: 'lensFor("tests/replies.test.ts", 1, "Replay file")',
};

function commandsLinkedIn(text: string): readonly string[] {
  return [...text.matchAll(/\(command:([\w.]+)/gu)].flatMap((match) => match[1] ?? []);
}

describe("commands", () => {
  it("are contributed exactly as the code names them", () => {
    expect([...contributed].sort()).toEqual([...everyCommand].sort());
    expect(contributed.length).toBeLessThanOrEqual(48);
  });

  it("have the titles and menus of scripts/manifest.mjs; run it after a change there", () => {
    const { contributes: written } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;

    expect(written).toMatchObject({
      ...contributions(),
      languageModelTools: toolContributions(TOOLS),
    });
    expect(english).toMatchObject(contributionTexts());
  });

  it("are all registered", () => {
    const unregistered = Object.keys(COMMANDS).filter(
      (name) =>
        !new RegExp(
          String.raw`(?:onCommand|registerCommand)\(\s*COMMANDS\.${name}\b|\[COMMANDS\.${name}\]:`,
          "u",
        ).test(source),
    );

    expect(unregistered).toEqual([]);
  });

  it("are each run in a real VS Code: by id, by title, or by their button", () => {
    const unpressed = contributes.commands.filter(({ command, title }) => {
      const id = command.replace("tapedeck.", "");
      const ways = [`"${id}"`, `"${command}"`, `runCommand("Tapedeck: ${title}"`].concat(
        [`chooseFromMenu("${title}")`, `chooseFix("${title}")`, `", "${title}")`],
        PRESSED_OTHERWISE[id] ?? [],
      );
      return !ways.some((way) => testsInVsCode.includes(way));
    });

    expect(unpressed.map(({ command }) => command)).toEqual([]);
  });

  it("have a category, a title of their own in the words of VS Code, an icon, and are enabled only where they work", () => {
    const careless = contributes.commands.filter(
      ({ title, category, icon, enablement }) =>
        category !== "Tapedeck" ||
        !/^[A-Z][^.]*$/u.test(title) ||
        !/^\$\([\w-]+\)$/u.test(icon ?? "") ||
        enablement === undefined,
    );

    expect(careless).toEqual([]);
    expect(new Set(contributes.commands.map(({ title }) => title)).size).toBe(contributes.commands.length);
  });

  it.each([
    ["finding missing nearest test", 8],
    ["finding missing", 8],
    ["recording new test replaces", 8],
    ["recording recorded test", 8],
    ["recording broken test", 8],
    ["group recordings test", 8],
    ["group recordings file", 8],
    ["finding failure test", 8],
    ["folder on", 6],
    ["folder off", 1],
    ["section empty new", 0],
    ["section empty findings missing", 0],
  ])("make a menu of %s with at most %i entries, whether a test runs or not", (row, most) => {
    const shown = (contributes.menus["view/item/context"] ?? []).filter(({ group = "", when = "" }) => {
      const [, pattern, name] = /viewItem (?:=~ \/(.*?)\/(?= |$)|== (\S+))/u.exec(when) ?? [];
      return !group.startsWith("inline") && (name === row || new RegExp(pattern ?? "(?!)", "u").test(row));
    });

    const running = shown.filter(({ when = "" }) => !when.includes("!tapedeck.running"));
    const still = shown.filter(({ when = "" }) => !/&& tapedeck\.running/u.test(when));
    expect(Math.max(running.length, still.length)).toBeLessThanOrEqual(most);
    const ofView = (contributes.menus["view/title"] ?? []).filter(
      ({ group = "" }) => !group.startsWith("nav"),
    );
    expect(ofView.length).toBeLessThanOrEqual(8);
  });

  it("on the row of a folder work whatever the state of the current folder", () => {
    const onFolders = (contributes.menus["view/item/context"] ?? []).filter(({ when = "" }) =>
      /viewItem =~ \/\^folder (?:on|off)\$/u.test(when),
    );
    const ofCurrent = onFolders.filter(({ command }) =>
      contributes.commands.find((one) => one.command === command)?.enablement?.includes(CONTEXTS.status),
    );

    expect(onFolders).toHaveLength(7);
    expect(ofCurrent).toEqual([]);
  });

  it("that menus, welcome texts, walkthroughs and key bindings name are there", () => {
    const named = [
      ...Object.values(contributes.menus).flatMap((items) => items.flatMap(({ command }) => command ?? [])),
      ...contributes.viewsWelcome.flatMap(({ contents }) => commandsLinkedIn(contents)),
      ...contributes.walkthroughs.flatMap(({ steps }) =>
        steps.flatMap(({ description }) => commandsLinkedIn(description)),
      ),
      ...(contributes.keybindings ?? []).map(({ command }) => command),
    ].filter((command) => command.startsWith("tapedeck.") && !command.endsWith(".focus"));

    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((command) => !everyCommand.includes(command))).toEqual([]);
  });

  it("that record a test at its own place go with one that stops, offered while something runs", () => {
    const places = ["editor/context", "editor/lineNumber/context", "view/item/context"];

    const stops = places.map((place) =>
      contributes.menus[place]?.find(({ command }) => command === COMMANDS.stopRun),
    );

    expect(stops.map((stop) => stop?.when?.includes(CONTEXTS.running))).toEqual(places.map(() => true));
  });
});

describe("settings", () => {
  it("are declared exactly as the code reads them", () => {
    const declared = new Map(
      Object.entries(contributes.configuration.properties).map(([key, setting]) => [
        key,
        [setting.default, setting.scope],
      ]),
    );

    expect(declared).toEqual(
      new Map(definitions.map(({ key, default: initial, scope }) => [key, [initial, scope]])),
    );
    expect(declared.size).toBeLessThanOrEqual(14);
  });

  it("are described, each of their values too", () => {
    const bare = Object.entries(contributes.configuration.properties).filter(
      ([, setting]) =>
        !(setting.description ?? setting.markdownDescription)?.endsWith(".") ||
        setting.enum?.length !== setting.enumDescriptions?.length,
    );

    expect(bare).toEqual([]);
  });

  it("offer values that are taken, and no others", () => {
    const modes = contributes.configuration.properties["tapedeck.mode"]?.enum;
    const refused = definitions.flatMap(({ key, read }) =>
      (contributes.configuration.properties[key]?.enum ?? []).filter((value) => read(value) === undefined),
    );

    expect(modes).toEqual(MODES);
    expect(refused).toEqual([]);
  });

  it("that could make an untrusted workspace act are not taken from it", () => {
    const { untrustedWorkspaces } = manifest.capabilities;
    const restricted = definitions.filter((definition) => definition.restricted).map(({ key }) => key);

    expect(untrustedWorkspaces.supported).toBe("limited");
    expect([...untrustedWorkspaces.restrictedConfigurations].sort()).toEqual([...restricted].sort());
  });

  it.each(["mode", "guard", "environment.enabled", "upstreams", "limits"])(
    "%s comes from the user and never from a workspace, because it weakens a strict run or sends and pays elsewhere",
    (name) => {
      expect(contributes.configuration.properties[`tapedeck.${name}`]?.scope).toBe("machine");
    },
  );
});

describe("files and names in the manifest", () => {
  it("is there: icons, walkthrough pages, schema, grammars", () => {
    const files = [
      manifest.icon,
      ...contributes.viewsContainers.activitybar.map(({ icon }) => icon),
      ...Object.values(contributes.views).flatMap((views) => views.map(({ icon }) => icon)),
      ...contributes.walkthroughs.flatMap(({ steps }) =>
        steps.flatMap(({ media }) =>
          ["light", "dark", "hc", "hcLight"].map((theme) => media.image[theme] ?? theme),
        ),
      ),
      ...contributes.jsonValidation.map(({ url }) => url),
      ...(contributes.grammars ?? []).map(({ path }) => path),
      ...contributes.languages.flatMap(({ configuration }) => configuration ?? []),
    ];

    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("has the names that the code uses", () => {
    expect(contributes.viewsContainers.activitybar.map(({ id }) => id)).toEqual([VIEW_CONTAINER]);
    expect(contributes.views[VIEW_CONTAINER]?.map(({ id }) => id)).toEqual([VIEWS.calls]);
    expect(contributes.walkthroughs.map(({ id }) => id)).toEqual([WALKTHROUGH]);
    expect(contributes.languages.map(({ id }) => id)).toEqual(["jsonc", ...Object.values(LANGUAGES)]);
  });

  it("explains how to record once it is known that there is no row", () => {
    const texts = contributes.viewsWelcome.filter(({ contents }) =>
      /^(?:Nothing is recorded yet|Recording)\./u.test(contents),
    );

    expect(texts.map(({ when }) => when.includes(`&& ${CONTEXTS.empty} &&`))).toEqual([true, true]);
  });

  it("uses only context keys that are set", () => {
    const known = new Set<string>([...Object.values(CONTEXTS), ...Object.values(VIEWS)]);
    const { menus, viewsWelcome, commands } = contributes;
    const clauses = [
      ...Object.values(menus).flatMap((items) => items.map(({ when }) => when ?? "")),
      ...viewsWelcome.map(({ when }) => when),
      ...commands.map(({ enablement }) => enablement ?? ""),
      ...contributes.walkthroughs.flatMap(({ steps }) =>
        steps.flatMap(({ completionEvents }) =>
          completionEvents.filter((event) => event.startsWith("onContext:")),
        ),
      ),
    ];

    const asked = clauses.flatMap((clause) => clause.match(/\btapedeck\.\w+/gu) ?? []);

    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((key) => !known.has(key))).toEqual([]);
  });
});

it("activation waits for a workspace or a file that may concern it, never for every start", () => {
  expect(manifest.activationEvents).toContain("workspaceContains:.tapedeck");
  expect(manifest.activationEvents).not.toContain("*");
  expect(manifest.activationEvents).not.toContain("onStartupFinished");
});

it("the extension runs where the folder is, on this machine or a remote one, and explains why not without a disk", () => {
  const { virtualWorkspaces } = manifest.capabilities;

  expect(manifest.extensionKind).toEqual(["workspace"]);
  expect(manifest.browser).toBeUndefined();
  expect(virtualWorkspaces).toEqual({
    supported: false,
    description: expect.stringContaining("folder on a disk"),
  });
});
