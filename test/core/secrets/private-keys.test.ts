import { describe, expect, it } from "vitest";
import { findPlacedSecrets, listTextsOfRecording } from "../../../src/core/secrets/searched-texts.ts";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import { aReplyOf } from "../../support/a-recording.ts";
import { aRun, anEngine, chatCall, chatReply, recordCall } from "../../support/an-engine.ts";
import { secretsThat } from "../../support/secrets-that.ts";
import { seeded } from "../../support/seeded.ts";

const scan = await loadScanner();
const random = seeded(5);
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const line = (length = 64): string =>
  Array.from({ length }, () => DIGITS[Math.floor(random() * DIGITS.length)]).join("");
const LINES = [`MII${line(61)}`, line(), line(), line(), `${line(30)}==`];
const KEY = LINES.join("\n");
const BEGIN = "-----BEGIN RSA PRIVATE KEY-----";
const END = "-----END RSA PRIVATE KEY-----";
const PGP = "PGP PRIVATE KEY BLOCK";

/** Keys as they occur in prompts, with the text around them that must stay. */
const KEYS: readonly (readonly [what: string, text: string])[] = [
  ["whole", `${BEGIN}\n${KEY}\n${END}`],
  ["without its end", `${BEGIN}\n${KEY}`],
  ["cut off in the middle of a line", `${BEGIN}\n${LINES[0]}\n${LINES[1]?.slice(0, 40)}`],
  ["with an end that is misspelt", `${BEGIN}\n${KEY}\n-----END RSA PRIVATE`],
  ["with dashes inside", `${BEGIN}\n${LINES[0]}\n-----\n${LINES[1]}\n---- a part ----\n${LINES[2]}\n${END}`],
  [
    "of PGP with comments",
    `-----BEGIN ${PGP}-----\nVersion: GnuPG v2\nComment: Made for -- testing\n\n${KEY}\n=aB3d\n-----END ${PGP}-----`,
  ],
  [
    "of PGP with comments and no end",
    `-----BEGIN ${PGP}-----\nVersion: GnuPG v2\nComment: of a person\n\n${KEY}`,
  ],
  [
    "with headers",
    `${BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n${KEY}\n${END}`,
  ],
  ["on one line", `${BEGIN} ${LINES.join(" ")} ${END}`],
  ["on one line, without its end", `${BEGIN} ${LINES.join(" ")}`],
  ["as code has it", `${BEGIN}\\n${LINES.join("\\n")}\\n${END}\\n`],
  ["as code has it, without its end", `${BEGIN}\\n${LINES.join("\\n")}`],
  ["quoted", [BEGIN, ...LINES, END].map((one) => `> ${one}`).join("\n")],
  ["in strings of code, without its end", [BEGIN, ...LINES].map((one) => `  "${one}\\n" +`).join("\n")],
  ["with lines of Windows", [BEGIN, ...LINES, END].join("\r\n")],
  [
    "of SSH2",
    `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "a"\n${KEY}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
  ],
  [
    "of PuTTY",
    `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: a\nPublic-Lines: 2\n${LINES[0]}\n${LINES[1]}\nPrivate-Lines: 2\n${LINES[2]}\n${LINES[3]}\nPrivate-MAC: ${"0a".repeat(20)}`,
  ],
];

describe("a private key", () => {
  it.each(KEYS)("%s is taken out with every line, and what is around it stays", async (_, key) => {
    const secrets = await secretsThat("redact");
    const under = anEngine(() => chatReply(`Look: ${key}\nIs that all of it?`), { secrets });
    const question = `My key is\n${key}\nWhat is wrong with it?`;

    const { outcome, keptRequest, keptReply } = await recordCall(under, chatCall(aRun("record"), question));

    expect(outcome).toBe("recorded");
    const kept = `${keptRequest}\n${keptReply}`;
    expect(LINES.filter((one) => kept.includes(one.slice(0, 20)))).toEqual([]);
    expect(kept).toContain("What is wrong with it?");
    expect(kept).toContain("Is that all of it?");
  });

  it("with a remainder after redaction is not recorded, and check reports it", () => {
    const recording = aReplyOf(JSON.stringify({ text: `[redacted: private key]\n${LINES[1]}\n${LINES[2]}` }));

    expect(findPlacedSecrets(listTextsOfRecording(recording), scan).map(({ kind }) => kind)).toContain(
      "private key",
    );
  });
});

it("an app token of Slack is removed to its end, and so is a token that is longer than its pattern", async () => {
  const tokens = [
    `xapp-1-A0123BCDEFG-1234567890123-${"0a1b2c3d".repeat(8)}`,
    `ghp_${line(36).replaceAll(/[+/]/g, "x")}-and-more_of1t`,
    `SG.${line(22).replaceAll(/[+/]/g, "y")}.${line(43).replaceAll(/[+/]/g, "_")}`,
  ];
  const under = anEngine(() => chatReply("Fine."), { secrets: await secretsThat("redact") });
  const question = tokens.map((token) => `use ${token} now`).join("\n");

  const { keptRequest } = await recordCall(under, chatCall(aRun("record"), question));

  const kept = JSON.parse(keptRequest) as { messages: [{ content: string }] };
  expect(kept.messages[0].content.split("\n")).toEqual([
    "use [redacted: Slack token] now",
    "use [redacted: GitHub token] now",
    "use [redacted: SendGrid key] now",
  ]);
});
