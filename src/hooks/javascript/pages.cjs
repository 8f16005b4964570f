// @ts-nocheck -- it wraps objects of Playwright, which have no types here
"use strict";
/*
 * Tests in vitest's browser mode run in a page, which cannot have hooks. Playwright opens that page from vitest's process:
 * it passes on what the page asks of a model, this process asks in its place, and the answer goes back to the page.
 */
const { wrapMethod } = require("./wrap-method.cjs");

/** Headers of a reply that this process has read already. */
const OF_TRANSPORT = /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive)$/;

const watched = new WeakSet();

/** `playwright`: the package playwright-core. `isModel(url)`: whether a request is one of a model. */
function watchPages(playwright, { isModel, began }) {
  const { fetch } = globalThis;
  const watchContext = async (context) => {
    began("vitest");
    await context.route(isModel, (route) => answer(route, fetch));
    return context;
  };
  const watchResults = (prototype, names, look) => {
    if (watched.has(prototype)) return;
    watched.add(prototype);
    for (const name of names)
      wrapMethod(
        prototype,
        name,
        (original) =>
          async function (...args) {
            return look(await original.apply(this, args));
          },
      );
  };
  watchResults(Object.getPrototypeOf(playwright.chromium), OPENING, (opened) => {
    if (!opened.newContext) return watchContext(opened);
    watchResults(Object.getPrototypeOf(opened), ["newContext"], watchContext);
    return opened;
  });
}

const OPENING = ["launch", "connect", "launchPersistentContext"];

async function answer(route, fetch) {
  const request = route.request();
  try {
    const test = await request
      .frame()
      .evaluate(readTest, STATE)
      .catch(() => undefined);
    const headers = await request.allHeaders();
    if (test)
      headers["x-tapedeck-test"] = encodeURIComponent(JSON.stringify({ v: 1, runner: "vitest", ...test }));
    const reply = await fetch(request.url(), {
      method: request.method(),
      headers,
      body: request.postDataBuffer() ?? undefined,
    });
    const kept = [...reply.headers].filter(([name]) => !OF_TRANSPORT.test(name));
    const body = Buffer.from(await reply.arrayBuffer());
    await route.fulfill({ status: reply.status, headers: Object.fromEntries(kept), body });
  } catch {
    await route.abort().catch(() => {}); // the page may be closed
  }
}

/** Vitest keeps the running test in the page as in its workers: see runners/vitest.cjs. */
const STATE = "__vitest_worker__";

/** Runs in the page. */
function readTest(state) {
  const task = globalThis[state]?.current;
  if (!task) return undefined;
  const name = [];
  for (let at = task; at && !at.filepath; at = at.suite) name.unshift(at.name);
  return { file: (task.file ?? task).filepath, name, line: task.location?.line, x: task.id };
}

module.exports = { watchPages };
