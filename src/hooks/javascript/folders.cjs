// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * An editor's window has one environment for what its extensions start, and may have several folders, each with a
 * server of its own: a process that is started in one of them gets that folder's variables. Those that somebody has
 * changed since are left alone, and so is a process that has another folder's variables already.
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
