// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Scripts of package.json set variables in the text that a shell gets: `NODE_OPTIONS=--experimental-vm-modules jest`.
 * The shell would replace the value that loads the hooks. Their value is put in front of the script's own.
 */

const SHELL = /(?:^|\/)(?:ba|da|z|k)?sh$/;
const TEXT_FOLLOWS = /^-[a-z]*c$/;

/** A command without quotes, comments, and substitutions, with the operator behind it. */
const COMMAND = /[^'"`\\#&|;$()<>]*(?:&&|\|\||;)/.source;
const ASSIGNMENT = /[A-Za-z_]\w*=(?:"[^"\\$`]*"|'[^']*'|[^\s'"`\\$;&|<>()])*\s+/.source;
/** What may precede the name of a variable that is set: nothing else is changed. */
const BEFORE = `^(?:${COMMAND})*\\s*(?:export\\s+|env\\s+)?(?:${ASSIGNMENT})*`;

/** Returns the arguments of a program. If it is a shell, values that its text sets begin with those that load the hooks. */
function keepHooksInShell(args, { preload, folder, delimiter }) {
  const [file = "", option = "", text = "", ...rest] = args;
  if (!SHELL.test(file) || !TEXT_FOLLOWS.test(option)) return args;
  const withNode = preload ? put(text, "NODE_OPTIONS", () => `${preload} `) : text;
  // An empty entry would be the present folder, and a variable that is not set is empty.
  const ahead = (next) => (/^(?:\s|$|[;&|])/.test(next) ? folder : `${folder}${delimiter}`);
  const withBoth = folder ? put(withNode, "PYTHONPATH", ahead, "(?!\\$|[\"']\\$)") : withNode;
  return [file, option, withBoth, ...rest];
}

function put(text, name, valueBefore, unless = "") {
  const [start] = new RegExp(`${BEFORE}${name}=${unless}`).exec(text) ?? [];
  if (start === undefined) return text;
  const end = text.slice(start.length);
  return `${start}${quote(valueBefore(end))}${end}`;
}

const quote = (value) => `'${value.replaceAll("'", String.raw`'\''`)}'`;

module.exports = { keepHooksInShell };
