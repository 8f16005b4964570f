// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * A VS Code window has one environment for all processes of its extensions, but each of its folders has a separate
 * server. A process that starts in a folder gets that folder's variables. Variables that were changed since are kept, and
 * so is a process that already has another folder's variables.
 */
const path = require("node:path");
const { real, spelled } = require("./stack.cjs");

/** `table` is as src/hooks/environment.ts writes it. */
function moveToFolder(env, cwd, table) {
  const { before, folders } = JSON.parse(table);
  const [standing] = folders;
  const own = folderOf(cwd, folders);
  if (!own || own === standing || env.TAPEDECK_URL !== standing.set.TAPEDECK_URL) return;
  for (const name of new Set([...Object.keys(standing.set), ...Object.keys(own.set)])) {
    if (env[name] !== standing.set[name] && env[name] !== before[name]) continue;
    const value = own.set[name] ?? before[name];
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
}

/** The deepest one. */
function folderOf(cwd, folders) {
  const within = (root) => spelled(cwd + path.sep).startsWith(spelled(root + path.sep));
  return folders
    .filter(({ root }) => within(root) || within(real(root)))
    .sort((one, other) => other.root.length - one.root.length)[0];
}

module.exports = { moveToFolder };
