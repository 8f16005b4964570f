// @ts-nocheck -- it is put in the place of methods of any type
"use strict";

/** Puts `make(original)` in a method's place, under the original's name. */
function wrapMethod(owner, method, make) {
  const original = owner[method];
  const wrapped = make(original);
  Object.defineProperty(wrapped, "name", { value: original.name, configurable: true });
  // What util.promisify goes by.
  for (const symbol of Object.getOwnPropertySymbols(original)) wrapped[symbol] = original[symbol];
  owner[method] = wrapped;
}

/** Passes each result of a method on to `look`, and the arguments of its callback to `lookLater`. */
function passResults(owner, name, look, lookLater) {
  wrapMethod(
    owner,
    name,
    (original) =>
      function (...args) {
        const done = args.at(-1);
        if (lookLater && typeof done === "function")
          args[args.length - 1] = function (...given) {
            attempt(() => lookLater(...given));
            return done.apply(this, given);
          };
        const result = original.apply(this, args);
        attempt(() => look(result));
        return result;
      },
  );
}

/** Ignores failures, so that the program runs on as it would without the hooks. */
function attempt(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** As the arguments of `connect` say it, which `net.connect` gives as a list. */
function addressIn(args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === "object" && first !== null) return first;
  return { port: first, ...(typeof second === "string" && { host: second }) };
}

module.exports = { addressIn, attempt, passResults, wrapMethod };
