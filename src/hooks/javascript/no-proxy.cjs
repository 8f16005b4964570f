// @ts-nocheck -- plain CommonJS in the syntax of ES2015, for any Node
"use strict";

/**
 * A shell's start-up file may set NO_PROXY after the editor did: calls to this machine would go to the proxy, keys and
 * all. The same as src/hooks/list-variable.ts, for this process and those that it starts.
 */
function keepOffProxies(env) {
  const names = process.platform === "win32" ? ["NO_PROXY"] : ["NO_PROXY", "no_proxy"];
  const own = names.map((name) => (env[name] || "").trim());
  names.forEach((name, index) => {
    const list = own[index] || own[1 - index] || "";
    const hosts = list
      .split(",")
      .map((host) => host.trim())
      .filter(Boolean);
    if (hosts.length === 1 && hosts[0] === "*") env[name] = "*";
    else env[name] = hosts.concat(LOCAL_HOSTS.filter((host) => hosts.indexOf(host) < 0)).join(",");
  });
}

const LOCAL_HOSTS = ["127.0.0.1", "localhost", "::1"];

module.exports = { keepOffProxies };
