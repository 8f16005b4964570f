import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isForeign } from "./environment.mjs";
import { hostNode, installedHost, rootDir, serverDirOf } from "./paths.mjs";

/**
 * @typedef {object} HostOptions
 * @property {string} workspace folder to open; the editor gets a copy
 * @property {string} [name] name of the copy, default the folder's
 * @property {readonly string[]} [folders] names of several copies, opened together as a workspace of that name
 * @property {string} [extension] folder of an extension to install by link, as a user would have it
 * @property {string} [vsix] package of an extension to install as a user does
 * @property {readonly string[]} [beside] folders of other extensions to install by link
 * @property {readonly string[]} [without] names of VS Code's own extensions that it has to do without
 * @property {{ extension: string, entry: string }} [tests] extension under development and the entry of its tests; a relative path is inside the opened copy
 * @property {Readonly<Record<string, unknown>>} [settings] the user's settings, added to quiet ones
 * @property {boolean} [restricted] open the workspace in Restricted Mode
 * @property {string} [language] of the window, such as "zh-cn"; VS Code's own texts stay English
 * @property {Readonly<Record<string, string>>} [env] environment of the server and so of the extension host
 * @property {string} [log] file for the server's output, default in the temporary folder
 */

/**
 * @typedef {object} Host
 * @property {string} url the workbench, with the token that lets a browser in
 * @property {string} folder the opened copy of the workspace; of several, the first
 * @property {string} home the temporary folder that holds all of it, gone after `close`
 * @property {string} log
 * @property {Promise<unknown>} ended settles when the server is gone, asked to or not
 * @property {(settings: Readonly<Record<string, unknown>>) => void} set adds to the user's settings, or changes them
 * @property {() => Promise<void>} close
 */

/** No settings that require a reload: VS Code asks for one if it reads them after the window is drawn. */
const quiet = {
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.openRepositoryInParentFolders": "never",
  "remote.autoForwardPorts": false,
  "telemetry.telemetryLevel": "off",
  "terminal.integrated.environmentChangesIndicator": "off",
  "update.mode": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
};

/** Settings for tests: animations and repeated drawing slow them down. */
export const undisturbed = {
  // A workbench in a browser saves after a second, so an edit that a test undoes would already be in the file.
  "files.autoSave": "off",
  // Drawn as text, which tests can read and which needs less CPU without a GPU.
  "terminal.integrated.gpuAcceleration": "off",
  "editor.cursorBlinking": "solid",
  "editor.minimap.enabled": false,
  "editor.stickyScroll.enabled": false,
  "workbench.reduceMotion": "on",
};

/** Built-in extensions that no test needs. They start with each window and use more CPU than the window. */
export const unasked = [
  "copilot",
  "css-language-features",
  "emmet",
  "git",
  "git-base",
  "github",
  "github-authentication",
  "grunt",
  "gulp",
  "html-language-features",
  "ipynb",
  "jake",
  "merge-conflict",
  "mermaid-markdown-features",
  "microsoft-authentication",
  "npm",
  "php-language-features",
  "terminal-suggest",
  "tunnel-forwarding",
  "typescript-language-features",
];

/**
 * Starts a VS Code server on a free port of 127.0.0.1. It has new folders and ends with this process, even if that is
 * killed.
 * @param {HostOptions} options
 * @returns {Promise<Host>}
 */
export async function startHost(options) {
  // Short on purpose: the server puts sockets beneath it, and the path of a socket ends at 103 characters.
  const home = mkdtempSync(join(realpathSync(tmpdir()), "tape-"));
  const name = options.name ?? basename(options.workspace);
  const folders = (options.folders ?? [name]).map((one) => join(home, one));
  const [folder = home] = folders;
  furnish(home, folders, options);
  const opened = options.folders ? join(home, `${name}.code-workspace`) : folder;
  if (options.folders)
    writeFileSync(opened, JSON.stringify({ folders: options.folders.map((path) => ({ path })) }, null, 2));
  const token = randomBytes(24).toString("base64url");
  writeFileSync(join(home, "token"), token, { mode: 0o600 });
  const log = options.log ?? join(home, "server.log");
  mkdirSync(dirname(log), { recursive: true });
  const keeper = fileURLToPath(new URL("keeper.mjs", import.meta.url));
  const child = spawn(process.execPath, [keeper, home, log, hostNode(), ...serverArguments(home, options)], {
    cwd: rootDir,
    env: { ...cleanEnvironment(home), ...options.env },
    stdio: ["pipe", "pipe", "inherit"],
    detached: true, // Ctrl+C in the terminal is for this process; the keeper ends when its input ends
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const close = async () => {
    child.stdin.end();
    await exited;
  };

  const news = await firstLine(child.stdout);
  if (news.port === undefined) {
    const output = existsSync(log) ? readFileSync(log, "utf8") : "";
    await close();
    throw new Error(
      `The VS Code server did not start (${news.ended ?? "its keeper ended"}):\n${output.slice(-4_000)}`,
    );
  }
  return {
    url: address({ port: news.port, token, folder, opened }, options.tests),
    folder,
    home,
    log,
    ended: exited,
    set: (settings) => writeSettings(home, settings),
    close,
  };
}

/** Folders and files as an installed VS Code has them. @param {string} home @param {readonly string[]} folders @param {HostOptions} options */
function furnish(home, folders, options) {
  const {
    workspace,
    extension,
    vsix,
    beside = [],
    without = [],
    settings = {},
    restricted = false,
    language,
  } = options;
  const skipped = new Set(["node_modules", "__pycache__", ".pytest_cache"]);
  for (const folder of folders) {
    cpSync(workspace, folder, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
    // The sample's packages are the checkout's own: its tests run without an install and without a network.
    symlinkSync(join(rootDir, "node_modules"), join(folder, "node_modules"), "junction");
  }

  const trust = {
    "security.workspace.trust.enabled": restricted,
    "security.workspace.trust.startupPrompt": "never",
  };
  writeSettings(home, { ...quiet, ...trust, ...settings });
  for (const place of ["extensions", "tmp"]) mkdirSync(join(home, place));
  for (const linked of [...(extension ? [extension] : []), ...beside]) {
    const manifest = JSON.parse(readFileSync(join(linked, "package.json"), "utf8"));
    const name = `${manifest.publisher}.${manifest.name}-${manifest.version}`;
    symlinkSync(linked, join(home, "extensions", name), "junction");
  }
  if (without.length > 0) {
    const own = join(serverDir(), "extensions");
    mkdirSync(join(home, OWN_EXTENSIONS));
    for (const name of readdirSync(own).filter((one) => !without.includes(one)))
      symlinkSync(join(own, name), join(home, OWN_EXTENSIONS, name), "junction");
  }
  if (vsix) installPackage(home, vsix);
  if (language) addLanguage(home, language);
}

/** Adds a language pack without translations: extensions then show their texts in this language. @param {string} home @param {string} language */
function addLanguage(home, language) {
  const data = join(home, "data");
  const vscode = join(data, "language-pack.json");
  writeFileSync(vscode, JSON.stringify({ contents: {} }));
  const extensions = [{ extensionIdentifier: { id: `tests.${language}` }, version: "1.0.0" }];
  const pack = { hash: `empty-${language}`, label: language, extensions, translations: { vscode } };
  writeFileSync(join(data, "languagepacks.json"), JSON.stringify({ [language]: pack }));
}

/** The folder of built-in extensions if some are left out. */
const OWN_EXTENSIONS = "own-extensions";

/** Settings with machine scope apply only from the second file, because the window is a remote one. */
const settingsPlaces = ["User", "Machine"];

/** Adds settings to those that are there. @param {string} home @param {Readonly<Record<string, unknown>>} settings */
function writeSettings(home, settings) {
  for (const place of settingsPlaces) {
    const file = join(home, "data", place, "settings.json");
    mkdirSync(dirname(file), { recursive: true });
    const standing = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    writeFileSync(file, JSON.stringify({ ...standing, ...settings }, null, 2));
  }
}

/** @param {string} home @param {string} vsix */
function installPackage(home, vsix) {
  const places = ["--server-data-dir", home, "--extensions-dir", join(home, "extensions")];
  const args = [serverEntry(), "--accept-server-license-terms", ...places, "--install-extension", vsix];
  const { status, stdout, stderr } = spawnSync(hostNode(), args, {
    env: cleanEnvironment(home),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The package cannot be installed:\n${stdout}${stderr}`);
}

function serverDir() {
  const modules = installedHost();
  if (!modules) throw new Error("The VS Code host is not installed: run `npm run host`.");
  return serverDirOf(modules);
}

const serverEntry = () => join(serverDir(), "out", "server-main.js");

/**
 * The arguments for Node that make it the server.
 * @param {string} home
 * @param {Pick<HostOptions, "tests" | "restricted" | "without" | "language">} options
 */
function serverArguments(home, { tests, restricted = false, without = [], language }) {
  return [
    serverEntry(),
    "--host=127.0.0.1",
    "--port=0",
    // In a file, because every user of the machine can read a command line.
    `--connection-token-file=${join(home, "token")}`,
    `--server-data-dir=${home}`,
    `--user-data-dir=${join(home, "data")}`,
    `--extensions-dir=${join(home, "extensions")}`,
    ...(without.length > 0 ? [`--builtin-extensions-dir=${join(home, OWN_EXTENSIONS)}`] : []),
    "--telemetry-level=off",
    "--accept-server-license-terms",
    "--skip-welcome",
    ...(language ? [`--locale=${language}`] : []),
    ...(restricted ? [] : ["--disable-workspace-trust"]),
    // Without it a release build does not read the payload of `address`; with it no dialog is shown.
    ...(tests ? ["--enable-smoke-test-driver"] : []),
  ];
}

/**
 * @param {{ port: number, token: string, folder: string, opened: string }} server
 * @param {HostOptions["tests"]} tests
 */
function address({ port, token, folder, opened }, tests) {
  const authority = `127.0.0.1:${port}`;
  const kind = opened.endsWith(".code-workspace") ? "workspace" : "folder";
  const query = new URLSearchParams({
    tkn: token,
    [kind]: decodeURIComponent(pathToFileURL(opened).pathname),
  });
  if (tests) {
    const remote = (/** @type {string} */ path) =>
      `vscode-remote://${authority}${pathToFileURL(isAbsolute(path) ? path : join(folder, path)).pathname}`;
    const payload = [
      ["extensionDevelopmentPath", remote(tests.extension)],
      ["extensionTestsPath", remote(tests.entry)],
    ];
    query.set("payload", JSON.stringify(payload));
  }
  return `http://${authority}/?${query}`;
}

/** @param {import("node:stream").Readable} stream @returns {Promise<{ port?: number, ended?: string }>} */
async function firstLine(stream) {
  for await (const line of createInterface({ input: stream })) return JSON.parse(line);
  return {};
}

/** Returns the environment without variables of an outer editor, npm, or the developer. @param {string} home */
function cleanEnvironment(home) {
  const outer = /^(VSCODE_|ELECTRON_|npm_|VITEST|XDG_RUNTIME_DIR$)/i;
  const kept = Object.entries(process.env).filter(([name]) => !outer.test(name) && !isForeign(name));
  const temporary = join(home, "tmp"); // sockets that are deleted with the folder
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(["TMPDIR", "TEMP", "TMP"].map((name) => [name, temporary])),
    // The state that an extension or the program stores for its user is separate as well.
    XDG_DATA_HOME: join(home, "data"),
    XDG_STATE_HOME: join(home, "state"),
    HISTFILE: join(temporary, "history"), // commands in its terminals do not belong in the user's history
    EXTENSIONS_GALLERY: "{}", // nothing is looked up outside
  };
}
