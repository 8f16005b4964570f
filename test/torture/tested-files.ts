import type { TestedProtection } from "./torture.ts";

/** What holds where the files of a folder are a stranger's. */
export const testedFiles: readonly TestedProtection[] = [
  {
    what: "no file is waited for when it is opened",
    file: "src/storage/folder/read-file.ts",
    find: "constants.O_RDONLY | NO_WAIT |",
    replace: "constants.O_RDONLY | (0 * NO_WAIT) |",
    tests: ["test/cli/odd-files.test.ts"],
    named: "in the place of any file",
  },
  {
    what: "what is no file is not read",
    file: "src/storage/folder/read-file.ts",
    find: "if (!stats.isFile()) throw noFile(path);",
    replace: "void noFile;",
    tests: ["test/cli/odd-files.test.ts"],
    named: "in the place of any file",
  },
  {
    what: "a huge file is not read",
    file: "src/storage/folder/read-file.ts",
    find: "if (stats.size > most) throw",
    replace: "if (stats.size > most * 1e9) throw",
    tests: ["test/storage/folder/read-file.test.ts"],
    named: "beyond the limit",
  },
  {
    what: "what is no lock is not waited for",
    file: "src/storage/local/lock.ts",
    find: "return stats !== undefined && !stats.isFile();",
    replace: "return stats !== undefined && false;",
    tests: ["test/storage/folder/read-file.test.ts"],
    named: "in a lock's place",
  },
  {
    what: "state of this machine is not read through a link",
    file: "src/storage/local/local-state.ts",
    find: "return isWithoutLinks(dir, LOCAL);",
    replace: "return isWithoutLinks(dir, LOCAL) || true;",
    tests: ["test/storage/folder/read-file.test.ts"],
    named: "behind a link",
  },
  {
    what: "a project's file is no link that leads out",
    file: "src/storage/local/project-file.ts",
    find: "|| isAbsolute(way))",
    replace: "&& isAbsolute(way))",
    tests: ["test/cli/odd-files.test.ts"],
    named: "one that leads out",
  },
  {
    what: "files are read in one place alone",
    file: "src/storage/folder/blobs.ts",
    find: "return readBytesNow(join(dir, blobPath(sha256)));",
    replace: 'return process.getBuiltinModule("fs").readFileSync(join(dir, blobPath(sha256)));',
    tests: ["test/architecture.test.ts"],
    named: "storage/folder/read-file.ts alone",
  },
];
