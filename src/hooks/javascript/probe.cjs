// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * `tapedeck doctor` runs this in a project, with the hooks. Each installed client makes a call to the given origin, which
 * does not exist. Each call uses a different model, so that the server can tell the clients apart. Prints its results as
 * one line of JSON.
 */
const { createRequire } = require("node:module");
const path = require("node:path");

const inProject = createRequire(path.join(process.cwd(), "probe.js"));
const [origin] = process.argv.slice(2);
const PATIENCE_MS = 8_000;

const bodyOf = (name) =>
  JSON.stringify({
    model: `doctor-node-${name}`,
    messages: [{ role: "user", content: "probe" }],
  });
const headers = { "content-type": "application/json", authorization: "Bearer probe" };
const url = `${origin}/v1/chat/completions`;

function byFetch(name, address, fetch = globalThis.fetch) {
  return fetch(address, { method: "POST", headers, body: bodyOf(name) }).then((reply) => reply.text());
}

function byHttps(name) {
  return new Promise((resolve, reject) => {
    const request = require("node:https").request(url, { method: "POST", headers }, (reply) => {
      reply.resume().on("end", resolve);
    });
    request.on("error", reject).end(bodyOf(name));
  });
}

function byHttp2(name) {
  return new Promise((resolve, reject) => {
    const session = require("node:http2").connect(origin);
    session.on("error", reject);
    const stream = session.request({ ":method": "POST", ":path": "/v1/chat/completions", ...headers });
    stream
      .on("error", reject)
      .on("close", () => resolve(session.close()))
      .resume();
    stream.end(bodyOf(name));
  });
}

/** The clients, in the order of the output. Clients from packages run only if the project has the package. */
const CLIENTS = {
  variable: (name) => byFetch(name, `${process.env.OPENAI_BASE_URL || `${origin}/v1`}/chat/completions`),
  fetch: (name) => byFetch(name, url),
  https: byHttps,
  http2: byHttp2,
};
const PACKAGES = {
  undici: ({ request }, name) =>
    request(url, { method: "POST", headers, body: bodyOf(name) }).then(({ body }) => body.text()),
  axios: (axios, name) =>
    (axios.default || axios).post(url, bodyOf(name), { headers, validateStatus: () => true }),
  "node-fetch": (fetched, name) => byFetch(name, url, fetched.default || fetched),
  openai: ({ OpenAI }, name) =>
    new OpenAI({ apiKey: "probe", baseURL: `${origin}/v1`, maxRetries: 0 }).chat.completions.create(
      JSON.parse(bodyOf(name)),
    ),
};

async function probe() {
  const clients = [];
  for (const [name, ask] of await allClients()) {
    const timeout = new Promise((_, fail) => setTimeout(fail, PATIENCE_MS, new Error("no answer")).unref());
    const error = await Promise.race([ask(name), timeout]).then(
      () => undefined,
      (thrown) => String(thrown?.cause?.message || thrown?.message || thrown),
    );
    clients.push({ name, error });
  }
  const { libraryOf } = require("./mocks.cjs");
  const isHooked = globalThis[Symbol.for("tapedeck.attribution")] === true;
  const mocks = [libraryOf(process.cwd())].filter(Boolean);
  process.stdout.write(`\n${JSON.stringify({ version: process.version, isHooked, mocks, clients })}\n`);
  process.exit(0);
}

async function allClients() {
  const found = Object.entries(CLIENTS);
  for (const [name, ask] of Object.entries(PACKAGES)) {
    try {
      inProject.resolve(name);
    } catch {
      continue;
    }
    found.push([name, async () => ask(await load(name), name)]);
  }
  return found;
}

/** Also where it is a module of the newer kind. */
async function load(name) {
  try {
    return inProject(name);
  } catch {
    const { pathToFileURL } = require("node:url");
    return import(pathToFileURL(inProject.resolve(name)).href);
  }
}

void probe();
