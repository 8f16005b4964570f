// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Notes the names that a program looks up itself. They show which provider an address belongs to if its client sends no
 * name. Several names can share an address, so the latest lookup counts.
 */
const { wrapMethod } = require("./wrap-method.cjs");

const FOR_TLS_PORT = 443;
/** Servers at these addresses belong to tests. */
const THIS_MACHINE = /^(?:127\.|0\.0\.0\.0$|::1?$)/;
const LOOKUPS = ["lookup", "resolve", "resolve4", "resolve6"];

/** Returns a function that finds the provider's host of an address: "" for another host, undefined if no name is known. */
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
