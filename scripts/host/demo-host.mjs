import { existsSync } from "node:fs";
import { basename } from "node:path";
import { PRACTICE_KEY } from "../../demo/upstream/practice-key.mjs";
import { startUpstream } from "../../demo/upstream/server.mjs";
import { demoWorkspace, extensionDir } from "./paths.mjs";
import { startHost } from "./server.mjs";

/**
 * @typedef {object} DemoOptions
 * @property {string} [workspace] folder to open a copy of; the sample workspace where none is given
 * @property {readonly string[]} [folders] names of several copies of it, opened together
 * @property {string} [extension] folder of the extension; the checkout's where none is given
 * @property {string} [vsix] package to install in its place
 * @property {readonly string[]} [beside] folders of other extensions to install
 * @property {readonly string[]} [without] names of VS Code's own extensions that it has to do without
 * @property {Readonly<Record<string, unknown>>} [settings] the user's, added to the demo's
 * @property {boolean} [restricted] open in Restricted Mode
 * @property {string} [language] of the window, such as "zh-cn"
 * @property {Readonly<Record<string, string>>} [env] variables of VS Code instead of the practice keys
 * @property {number} [delayMs] between the events of the practice upstream's streams
 * @property {string} [log]
 */

export const practiceKeys = { OPENAI_API_KEY: PRACTICE_KEY, ANTHROPIC_API_KEY: PRACTICE_KEY };

/** @typedef {import("./server.mjs").Host & { upstream: import("../../demo/upstream/server.mjs").Upstream }} DemoHost */

/**
 * Starts VS Code with Tapedeck on a copy of a workspace, and the practice upstream that it forwards to.
 * @param {DemoOptions} [options]
 * @returns {Promise<DemoHost>}
 */
export async function startDemoHost({ delayMs, settings = {}, ...options } = {}) {
  const { workspace = demoWorkspace, extension = extensionDir, vsix, ...rest } = options;
  if (!vsix && !existsSync(extension)) {
    throw new Error("The extension is not built: run `npm run build`.");
  }
  const upstream = await startUpstream(delayMs === undefined ? {} : { delayMs });
  try {
    const host = await startHost({
      ...rest,
      workspace,
      ...(vsix ? { vsix } : { extension }),
      name: workspace === demoWorkspace ? "support-desk" : basename(workspace),
      env: options.env ?? practiceKeys,
      settings: {
        "tapedeck.upstreams": { openai: upstream.origin, anthropic: upstream.origin },
        ...settings,
      },
    });
    const close = async () => {
      await host.close();
      await upstream.close();
    };
    return { ...host, upstream, close };
  } catch (error) {
    await upstream.close();
    throw error;
  }
}
