// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Names that a program looks up by hand: which provider's host is meant by an address whose client says no name.
 * Addresses are shared, so that the name which was looked up last counts.
 */
const { wrapMethod } = require("./wrap-method.cjs");

const FOR_TLS_PORT = 443;
/** What is called there is a test's own. */
const THIS_MACHINE = /^(?:127\.|0\.0\.0\.0$|::1?$)/;
const LOOKUPS = ["lookup", "resolve", "resolve4", "resolve6"];

/** Gives the provider's host that an address stands for: "" where it stands for another, undefined where no name is known. */
function watchLookups(dns, isProvider) {
  const hosts = new Map();
  const note = (host, found) => {
    const isKnown = isProvider(host);
    for (const one of [found].flat()) {
      const address = one?.address ?? one;
      if (!THIS_MACHINE.test(address)) hosts.set(address, isKnown ? host : "");
    }
  };
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    for (const name of LOOKUPS) if (owner[name]) wrapMethod(owner, name, noting(note));
  return (address, port) => (Number(port) === FOR_TLS_PORT ? hosts.get(address) : undefined);
}

function noting(note) {
  return (original) =>
    function (host, ...args) {
      const then = args.at(-1);
      if (typeof then === "function")
        args[args.length - 1] = (error, found, ...rest) => {
          if (!error) note(host, found);
          return then(error, found, ...rest);
        };
      const result = original.call(this, host, ...args);
      return typeof result?.then === "function"
        ? result.then((found) => {
            note(host, found);
            return found;
          })
        : result;
    };
}

module.exports = { watchLookups };
