import { describe, expect, it } from "vitest";
import { createWindowsCommand } from "../../src/hooks/windows-command.ts";

const FILES = [
  "C:\\Program Files\\nodejs\\npx.CMD",
  "C:\\Program Files\\nodejs\\node.EXE",
  "C:\\w\\tool.CMD",
];
const options = {
  env: {
    Path: "relative;C:\\Windows;C:\\Program Files\\nodejs\\",
    PathExt: ".COM;.EXE;.BAT;.CMD;.JS",
    COMSPEC: "C:\\cmd.exe",
  },
  cwd: "C:\\w",
  exists: (path: string) => FILES.some((file) => file.toLowerCase() === path.toLowerCase()),
};

/** Returns the interpreter's reading of a line: its text, and the parts it would execute. */
function interpreted(line: string): { readonly text: string; readonly acts: string } {
  let [text, acts, isQuoted] = ["", "", false];
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (sign === "^" && !isQuoted) {
      at += 1;
      text += line.charAt(at);
      continue;
    }
    if (sign === '"') isQuoted = !isQuoted;
    if (!isQuoted && "&|<>()".includes(sign)) acts += sign;
    text += sign;
  }
  return { text, acts };
}

/** The arguments that a program finds in its line. */
function argumentsIn(line: string): readonly string[] {
  return [...line.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, text = ""]) =>
    text.replace(
      /(\\+)("|$)/g,
      (_, signs: string, end: string) => "\\".repeat(Math.floor(signs.length / 2)) + end,
    ),
  );
}

describe("a program", () => {
  it("is started by its path, with unchanged arguments", () => {
    const started = createWindowsCommand("node", ["-e", "a & b"], options);

    expect(started).toEqual({ file: FILES[1], args: ["-e", "a & b"], verbatim: false });
  });

  it("that is only in the working directory is not found by a bare name", () => {
    expect(createWindowsCommand("tool", [], options)).toBeUndefined();
    expect(createWindowsCommand(".\\tool", [], options)?.args.at(-1)).toBe('"C:\\w\\tool.CMD"');
  });
});

describe("a batch file", () => {
  const HOSTILE = [
    "vitest",
    "a b",
    '" & calc & "',
    'x" | more',
    "%PATH%",
    "!X!",
    "^",
    "(a) <b> >c",
    "C:\\folder\\",
    'say \\"hi\\"',
    "",
    "a*?;,`[b]",
  ];

  it("is started by the interpreter, which passes its arguments on and acts on none of them", () => {
    const started = createWindowsCommand("npx", HOSTILE, options);

    const whole = started?.args.at(-1) ?? "";
    const first = interpreted(whole.slice(1, -1));
    const own = first.text.slice(FILES[0]?.length);
    const second = interpreted(own);
    expect({ ...started, args: started?.args.slice(0, 3) }).toEqual({
      file: "C:\\cmd.exe",
      args: ["/d", "/s", "/c"],
      verbatim: true,
    });
    expect(first.text.startsWith(`${FILES[0]} `)).toBe(true);
    expect([first.acts, second.acts]).toEqual(["", ""]);
    expect(argumentsIn(second.text)).toEqual(HOSTILE);
  });

  it("never shows the interpreter the name of a variable to fill in", () => {
    const line = createWindowsCommand("npx", ["%PATH%"], options)?.args.at(-1) ?? "";

    expect(line).not.toMatch(/%\w+%/);
  });
});
