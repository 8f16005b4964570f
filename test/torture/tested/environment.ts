import type { TestedProtection } from "../torture.ts";

const TERMINALS = ["test/editor/environment/terminal-change-model.test.ts"];
const HOOKS = ["test/hooks/stable-hooks.test.ts"];

export const testedEnvironment: readonly TestedProtection[] = [
  {
    what: "calls to this machine stay off a proxy",
    file: "src/hooks/list-variable.ts",
    find: "return [...hosts, ...LOCAL_HOSTS.filter((host) => !hosts.includes(host))].join",
    replace: "return [...hosts].join",
    tests: ["test/cli/proxies.test.ts"],
    named: "calls Tapedeck and not the proxy",
  },
  {
    what: "a terminal's variable that was not set gets no empty entry",
    file: "src/editor/environment/environment-model.ts",
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
  {
    what: "hooks lie where no update or removal takes them away",
    file: "src/hooks/stable-hooks.ts",
    find: "  return folder;\n}\n\ntype Files",
    replace: "  return source;\n}\n\ntype Files",
    tests: HOOKS,
    named: "when the extension has been removed",
  },
  {
    what: "hooks are compared with what they should be before they are used",
    file: "src/hooks/stable-hooks.ts",
    find: ".isFile() && (await readFile(path)).equals(bytes)",
    replace: ".isFile()",
    tests: HOOKS,
    named: "is put right before it is used",
  },
  {
    what: "hooks that others may write are not used",
    file: "src/hooks/stable-hooks.ts",
    find: "(stat.mode & 0o022) === 0",
    replace: "stat.mode > 0",
    tests: HOOKS,
    named: "is for its user alone",
  },
  {
    what: "a server proves that it knows a token by what only its holder can compute",
    file: "src/server/guard/proof.ts",
    find: 'createHmac("sha256", token).update(',
    replace: 'createHash("sha256").update(',
    tests: ["test/server/guard/proof.test.ts"],
    named: "can tell that the server does too",
  },
  {
    what: "what a server proves is good for its own port only",
    file: "src/server/guard/proof.ts",
    find: "\\n${port}\\n${nonce}`",
    replace: "\\n${nonce}`",
    tests: ["test/server/guard/proof.test.ts"],
    named: "for its port",
  },
  {
    what: "what a batch file is given is nothing that its interpreter acts on",
    file: "src/hooks/windows-command.ts",
    find: "escapeArgument(escapeArgument(quoteArgument(argument)))",
    replace: "escapeArgument(quoteArgument(argument))",
    tests: ["test/hooks/windows-command.test.ts"],
    named: "acts on none of them",
  },
  {
    what: "a bare name never means a program of the working directory",
    file: "src/hooks/windows-command.ts",
    find: '.split(";").filter((folder) => win32.isAbsolute(folder))',
    replace: '.split(";").concat(cwd)',
    tests: ["test/hooks/windows-command.test.ts"],
    named: "is not found by a bare name",
  },
];
