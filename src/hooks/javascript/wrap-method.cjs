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

module.exports = { wrapMethod };
