import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { chromium } from "playwright-core";

/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").LaunchOptions} LaunchOptions */

/** The headless shell of Chromium comes first, because it uses a fifth less CPU. */
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
];

const flags = [
  "--js-flags=--min-semi-space-size=64", // a window is short-lived: collecting garbage less often saves CPU
  "--disable-dev-shm-usage", // containers give /dev/shm 64 MB
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), // it only ever opens the local workbench
];

/**
 * Opens a headless browser: the one at CHROMIUM_PATH, an installed Chromium, Chrome, or Edge, or Playwright's. If there is
 * none, it installs one, first from the system's packages, because a network may offer only these.
 * @returns {Promise<Browser>}
 */
export async function launchBrowser() {
  const given = process.env["CHROMIUM_PATH"];
  if (given) return chromium.launch({ executablePath: given, args: flags });
  /** @type {string[]} */
  const failures = [];
  const found = await tryInstalled(failures);
  if (found) return found;

  for (const { through, get } of providers) {
    console.log(`No browser found: getting Chromium through ${through} …`);
    const browser = get() && (await tryInstalled(failures));
    if (browser) return browser;
  }
  throw new Error(
    `No browser: install Chromium, Chrome or Edge, or set CHROMIUM_PATH.\n${failures.join("\n")}`,
  );
}

/** @param {string[]} failures receives the errors of browsers that did not start */
async function tryInstalled(failures) {
  const onPath = findOnPath(...names);
  /** @type {LaunchOptions[]} */
  const choices = [
    ...(onPath ? [{ executablePath: onPath }] : []),
    { channel: "chrome" },
    { channel: "msedge" },
    {},
  ];
  for (const choice of choices) {
    try {
      return await chromium.launch({ ...choice, args: flags });
    } catch (error) {
      failures.push(String(error).split("\n")[0] ?? "");
    }
  }
  return undefined;
}

const providers = [
  { through: "apt", get: aptInstall },
  { through: "Playwright", get: playwrightInstall },
];

function playwrightInstall() {
  const cli = join(dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")), "cli.js");
  const args = [cli, "install", "chromium", "--only-shell"];
  return spawnSync(process.execPath, args, { stdio: "ignore", timeout: 300_000 }).status === 0;
}

/** Installs on Debian and Ubuntu as root, as in containers and CI. Never asks for a password. */
function aptInstall() {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !findOnPath("apt-get")) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const apt = (/** @type {string} */ words) =>
    spawnSync("apt-get", words.split(" "), { stdio: "ignore", env }).status === 0;
  const install = "install -qy --no-install-recommends";
  return apt("update -q") && (apt(`${install} chromium-headless-shell`) || apt(`${install} chromium`));
}

/** @param {string[]} programs */
function findOnPath(...programs) {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return programs
    .flatMap((program) => folders.map((folder) => join(folder, program)))
    .find((path) => existsSync(path));
}
