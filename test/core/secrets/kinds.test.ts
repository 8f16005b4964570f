import { describe, expect, it } from "vitest";
import {
  findPlacedSecrets,
  findSecretsIn,
  listTextsOfBody,
  listTextsOfRecording,
} from "../../../src/core/secrets/searched-texts.ts";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import { aRecording } from "../../support/a-recording.ts";
import { casesOf } from "../../support/cases.ts";
import { placeholders, specimens, type Specimen } from "../../support/secret-corpus.ts";
import { seeded } from "../../support/seeded.ts";

const scan = await loadScanner();
const SEEDS = casesOf({ quick: [20_261_122], long: [20_261_122, 7, 8] });
/** Characters of a text that a search with a doubtful pattern would not come to the end of. */
const LONG_TEXT = casesOf({ quick: 20_000, long: 200_000 });

/** Where a secret may stand, and what is written there. */
const PLACES: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => `Use ${text} for it.`,
  "JSON in JSON": (text) => JSON.stringify({ arguments: JSON.stringify({ note: `a\n${text}\nb` }) }),
  "escaped for a URL": (text) =>
    JSON.stringify({ note: `See https://a.example/?q=${encodeURIComponent(text)}&p=1` }),
};

const isFound = (found: readonly { readonly value: string }[], { secret }: Specimen): boolean =>
  found.some(({ value }) => value.includes(secret));

function isFoundWritten(specimen: Specimen, write: (text: string) => string): boolean {
  return isFound(findSecretsIn(listTextsOfBody(Buffer.from(write(specimen.text))), scan), specimen);
}

function isFoundSplit(specimen: Specimen): boolean {
  const pieces = `Use ${specimen.text} for it.`.match(/.{1,7}/gs) ?? [];
  const body = pieces
    .map((content) => `data: ${JSON.stringify({ index: 0, delta: { content } })}\n\n`)
    .join("");
  const recording = aRecording({ reply: { body: Buffer.from(body), contentType: "text/event-stream" } });
  return isFound(findPlacedSecrets(listTextsOfRecording(recording), scan), specimen);
}

function foundIn(specimen: Specimen): readonly boolean[] {
  return [...Object.values(PLACES).map((write) => isFoundWritten(specimen, write)), isFoundSplit(specimen)];
}

describe("generated secrets of every kind", () => {
  it.each(SEEDS)("are found, each as what it is (seed %d)", (seed) => {
    const missed = specimens(seed).filter((one) => {
      const found = scan(`use ${one.text} there`);
      return !isFound(found, one) || !found.some(({ kind }) => kind === one.kind);
    });

    expect(missed).toEqual([]);
  });

  it.each([".", ",", "!", ")", "\n", ". Then"])(
    "are found before %j, as at the end of a sentence or a line",
    (after) => {
      const missed = SEEDS.flatMap((seed) => specimens(seed)).filter(
        (one) => !isFound(scan(`It is ${one.text}${after}`), one),
      );

      expect(missed).toEqual([]);
    },
  );

  it("end with the string of JSON that they are in, so that they can be redacted there", () => {
    const longer = specimens(SEEDS[0] ?? 0).filter(({ text }) => {
      const body = Buffer.from(JSON.stringify({ note: text, number: 1 }));
      return findSecretsIn(listTextsOfBody(body), scan).some(({ value }) => value.includes('"number'));
    });

    expect(longer).toEqual([]);
  });

  it("are found in the places that docs/tables/secret-kinds.md lists", async () => {
    const rows = new Map<string, readonly boolean[]>();
    for (const one of specimens(SEEDS[0] ?? 0)) {
      const before = rows.get(one.kind);
      rows.set(
        one.kind,
        foundIn(one).map((isThere, at) => isThere && before?.[at] !== false),
      );
    }

    await expect(pageOf(rows)).toMatchFileSnapshot("../../../docs/tables/secret-kinds.md");
  });
});

describe("texts that look like it", () => {
  it("with a placeholder or nothing in the secret's place contain none", () => {
    const told = placeholders().filter(({ text }) => scan(`use ${text} there`).length > 0);

    expect(told).toEqual([]);
  });

  it("of ids, digests, pictures, settings, and code contain none", () => {
    const random = seeded(11);
    const some = (length: number, alphabet = "0123456789abcdef"): string =>
      Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
    const WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const texts = Array.from({ length: 200 }, () => [
      `{"id":"chatcmpl-${some(29, WORD)}","system_fingerprint":"fp_${some(10)}","max_tokens":${some(4, "123456789")}}`,
      `toolu_01${some(22, WORD)} msg_01${some(22, WORD)} resp_${some(48)} call_${some(24, WORD)} req_${some(32)}`,
      `sha256:${some(64)} ${some(40)} ${some(8)}-${some(4)}-4${some(3)}-a${some(3)}-${some(12)}`,
      `data:image/png;base64,${some(400, `${WORD}+/`)}`,
      `"encrypted_content":"gAAAAA${some(300, `${WORD}-_`)}","next_page_token":"${some(32, WORD)}","turnToken":"v1_${some(67, WORD)}"`,
      `"prompt_tokens":${some(3, "123456789")},"signature":"${some(120, `${WORD}+/`)}=="`,
      `{"token":" ${some(6, WORD)}","logprob":-0.${some(8, "123456789")}}`,
      `password = get_password(user${some(1, "123")}); token = tokenizer.encode(text${some(1, "123")})`,
      `const apiKey = process.env.SERVICE_API_KEY_${some(2, "123")}; secret: config.secrets.value${some(1, "12")}`,
      `dop_v1_${"ab".repeat(32)} pul-${"0a".repeat(20)} sbp_${"ab".repeat(20)}`,
      `https://example.com/a/${some(32)}?cursor=${some(24, WORD)} git@github.com:a/b.git user@host:22`,
    ]).flat();

    expect(texts.flatMap((text) => scan(text))).toEqual([]);
  });
});

describe("the search", () => {
  const PIECES =
    'eyJ¦ZXlK¦://a:¦a://a:b¦basic ¦cookie: a=b; ¦curl -u ¦password=¦PASSWORD=a1!¦token: ¦server=a;¦MTA5¦:AA¦sig=¦8Q~¦kind: secret data: ¦-----BEGIN PRIVATE KEY-----\n¦[redacted: private key]¦AccountKey=¦twitter_¦sk-¦xoxb-1-¦.acc_¦%41¦4a¦\\n¦\\¦"¦hooks.slack.com/¦vault¦AzFu';

  it.each(PIECES.split("¦"))("takes time proportional to the text, also when it repeats %j", (piece) => {
    expect(scan(piece.repeat(LONG_TEXT / piece.length)).length).toBeLessThan(LONG_TEXT);
  });
});

function pageOf(rows: ReadonlyMap<string, readonly boolean[]>): string {
  const columns = [...Object.keys(PLACES), "split over a stream"];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    "# Which secrets are found",
    "",
    "Written by `npx vitest run test/core/secrets/kinds.test.ts -u` from made-up secrets of every kind.",
    "Kinds and lengths follow the rules of [gitleaks](https://github.com/gitleaks/gitleaks) (July 2026), plus those of model providers.",
    "Public values (client ids, public keys) and secrets that only a file name identifies are not included.",
    "A dash means that the secret is not found there. In base64 or another encoding, secrets are found only if they are in the environment, in `.env`, or in the call itself.",
    "",
    line(["kind", ...columns]),
    line(["kind", ...columns].map(() => "---")),
    ...[...rows].map(([kind, found]) => line([kind, ...found.map((isThere) => (isThere ? "yes" : "–"))])),
    "",
  ].join("\n");
}
