// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Finds where a call began, for clients whose own steps cut the trace before they call fetch, as Anthropic's do from 1.0
 * on. All of them create a Headers object in the turn in which they are called: the trace of that moment is
 * kept for the requests that follow in the same test. The class is still the runtime's, behind a proxy that only keeps
 * the trace.
 */

/** A client makes several objects on its way, the first of them in its caller's turn. */
const KEPT = 24;

/** Gives a function that reads the frames of the latest place in the test that runs, if it has any. */
function watchCallPlaces(stack, testNow) {
  let latest = { test: undefined, traces: [] };
  watchHeaders(() => {
    const test = testNow();
    const kept = latest.test === test ? latest.traces.slice(0, KEPT - 1) : [];
    latest = { test, traces: [stack.trace(), ...kept] };
  });
  return () => {
    if (latest.test !== testNow()) return [];
    for (const trace of latest.traces) {
      const frames = stack.framesOf(trace);
      if (frames.length > 0) return frames;
    }
    return [];
  };
}

/** As lazy as the runtime's own: a process that makes no request loads nothing for it. */
function watchHeaders(remember) {
  const own = Object.getOwnPropertyDescriptor(globalThis, "Headers");
  if (!own?.configurable) return;
  const { enumerable } = own;
  const define = (value) => {
    Object.defineProperty(globalThis, "Headers", { configurable: true, enumerable, writable: true, value });
    return value;
  };
  if (!own.get) {
    define(proxyOf(own.value, remember));
    return;
  }
  // The runtime's own puts the class in its place when it is first asked for.
  const get = () => define(proxyOf(own.get.call(globalThis), remember));
  Object.defineProperty(globalThis, "Headers", { configurable: true, enumerable, get, set: define });
}

function proxyOf(Native, remember) {
  const proxy = new Proxy(Native, {
    construct(target, given, made) {
      try {
        remember();
      } catch {
        // The call goes on without its place.
      }
      return Reflect.construct(target, given, made === proxy ? target : made);
    },
  });
  return proxy;
}

module.exports = { watchCallPlaces };
