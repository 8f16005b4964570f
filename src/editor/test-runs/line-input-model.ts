/** What becomes of typed text: what is shown, and what is given to the program. */
export interface Typed {
  readonly shown: string;
  readonly sent: string;
}

/** Keys as a terminal sends them, made into lines: a program that reads from a pipe cannot do it for itself. */
interface LineInput {
  take(keys: string): Typed;
}

const BACKSPACES = new Set(["\u007f", "\b"]);

export function createLineInput(): LineInput {
  let line: string[] = [];

  function takeOne(key: string): Typed {
    if (key === "\r" || key === "\n") {
      const sent = `${line.join("")}\n`;
      line = [];
      return { shown: "\r\n", sent };
    }
    if (BACKSPACES.has(key)) return { shown: line.pop() === undefined ? "" : "\b \b", sent: "" };
    if (key < " " && key !== "\t") return { shown: "", sent: "" };
    line.push(key);
    return { shown: key, sent: "" };
  }

  return {
    take(keys) {
      // An arrow or a function key is no text.
      if (keys.startsWith("\u001b")) return { shown: "", sent: "" };
      const typed = Array.from(keys.replaceAll("\r\n", "\r"), takeOne);
      return {
        shown: typed.map(({ shown }) => shown).join(""),
        sent: typed.map(({ sent }) => sent).join(""),
      };
    },
  };
}
