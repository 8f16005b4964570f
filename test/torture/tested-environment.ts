import type { TestedProtection } from "./torture.ts";

const TERMINALS = ["test/editor/terminal-change-model.test.ts"];

export const testedEnvironment: readonly TestedProtection[] = [
  {
    what: "calls to this machine stay off a proxy",
    file: "src/hooks/no-proxy.ts",
    find: "return [...hosts, ...LOCAL_HOSTS.filter((host) => !hosts.includes(host))].join",
    replace: "return [...hosts].join",
    tests: ["test/cli/proxies.test.ts"],
    named: "calls Tapedeck and not the proxy",
  },
  {
    what: "a terminal's variable that was not set gets no empty entry",
    file: "src/editor/terminal-change-model.ts",
    find: 'if (state === "unset") return { name, how: "replace", value };',
    replace: "",
    tests: TERMINALS,
    named: "gets an empty entry",
  },
  {
    what: "empty entries of a list are left out",
    file: "src/hooks/list-variable.ts",
    find: '.filter((entry) => entry !== "")',
    replace: "",
    tests: ["test/editor/environment/environment-model.test.ts"],
    named: "have no empty entry",
  },
];
