// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Tests that mock by address (nock, msw, Polly, undici) do not know ours. Where the project has such a library, the
 * base-URL variables that Tapedeck set are taken back before a client is made: then calls go to the provider's own
 * address, the library answers what it mocks, and the rest meets the guard. Package managers keep the variables for what
 * they start.
 */
const fs = require("node:fs");
const path = require("node:path");

/**
 * Variables that the hooks remove, because some clients work better with the provider's own address, which the guard
 * redirects. AWS clients sign the address, or refuse to send a key without TLS. Vertex clients ignore the region of
 * their environment if an address is set, and each region has a different address.
 */
const BY_HOST =
  /^(?:AWS_ENDPOINT_URL_BEDROCK_RUNTIME|ANTHROPIC_BEDROCK_BASE_URL|(?:ANTHROPIC|GOOGLE)_VERTEX_BASE_URL)$/;
const LIBRARIES = [
  "nock",
  "msw",
  "@mswjs/interceptors",
  "@pollyjs/core",
  "fetch-mock",
  "fetch-mock-jest",
  "@fetch-mock/jest",
  "@fetch-mock/vitest",
  "jest-fetch-mock",
  "vitest-fetch-mock",
  "undici",
];
/** Versions of packages that lie beside a project. */
const BESIDE = /^(?:workspace|file|link|portal):|^\*$/;
/** As src/core/answer/source/forward.ts has it. */
const PLACEHOLDER = "tapedeck-placeholder-key";
const MANAGER = /[\\/](?:npm|npx|pnpm|yarn|corepack)(?:-cli)?(?:\.c?js)?$/;

/** Returns the project's library, if it has one. */
function makeRoomForMocks(env, guard) {
  if (MANAGER.test(process.argv[1] ?? "")) return undefined;
  const library = libraryOf(process.cwd());
  takeBack(env, guard, library ? /^/ : BY_HOST);
  dropConflictingKeys(env, guard);
  if (!library) return undefined;
  if (library === "undici") return library; // programs call by it as well, and need keys
  for (const [name, value] of Object.entries(guard.spare ?? {})) if (env[name] === value) delete env[name];
  return library;
}

/** Only what still is ours, of these names. */
function takeBack(env, { before = {}, needed = [] }, names) {
  const ours = `${env.TAPEDECK_URL}/`;
  for (const name of Object.keys(env)) {
    if (!names.test(name) || !String(env[name]).startsWith(ours)) continue;
    if (before[name] !== undefined) env[name] = before[name];
    else if (!needed.includes(name)) delete env[name];
  }
}

/** Removes variables with which a client throws if its code or environment sets an address as well. The user's own values stay. */
function dropConflictingKeys(env, { before = {}, conflictingKeys = [] }) {
  const ofResource = env.ANTHROPIC_FOUNDRY_RESOURCE ? ["ANTHROPIC_FOUNDRY_BASE_URL"] : [];
  for (const name of [...conflictingKeys, ...ofResource]) {
    const value = String(env[name]);
    const isOurs = value === PLACEHOLDER || value.startsWith(`${env.TAPEDECK_URL}/`);
    if (isOurs && before[name] === undefined) delete env[name];
  }
}

/** Returns a mocking library among the dependencies of the project that contains `folder`, or of its workspace. */
function libraryOf(folder) {
  let isWithin = false;
  for (const at of upwards(folder)) {
    const manifest = readManifest(path.join(at, "package.json"));
    if (!manifest || (isWithin && !isWorkspace(at, manifest))) continue;
    const library = libraryIn(at, manifest);
    if (library) return library;
    isWithin = true;
  }
  return undefined;
}

const isWorkspace = (folder, { workspaces }) =>
  workspaces !== undefined || fs.existsSync(path.join(folder, "pnpm-workspace.yaml"));

function libraryIn(folder, { dependencies, devDependencies }) {
  const names = { ...dependencies, ...devDependencies };
  const beside = Object.keys(names).filter((name) => BESIDE.test(names[name]));
  return named(names) ?? beside.map((name) => named(readBeside(folder, name))).find(Boolean);
}

function named(names) {
  return LIBRARIES.find((name) => names[name] !== undefined);
}

/** Reads the dependencies of another package of the workspace, because test helpers are often shared. */
function readBeside(folder, name) {
  for (const at of upwards(folder)) {
    const manifest = readManifest(path.join(at, "node_modules", name, "package.json"));
    if (manifest) return manifest.dependencies ?? {};
  }
  return {};
}

function upwards(folder) {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}

function readManifest(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

module.exports = { libraryOf, makeRoomForMocks };
