import { localize } from "../../core/base/localize.ts";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createOwnScanner } from "../local/own-scanner.ts";
import {
  findPlacedSecrets,
  listTextsOfRecording,
  describeRecordingPlace,
  type PlacedTexts,
} from "../../core/secrets/searched-texts.ts";
import { scanOfCall } from "../../core/secrets/guard.ts";
import { abbreviateSecret, type Scan, type Secret } from "../../core/secrets/scanner.ts";
import { BLOBS } from "../folder/blobs.ts";
import { NOWHERE, recoverFromCodes } from "../folder/failures.ts";
import type { Project } from "../local/project-file.ts";
import { isNoFile, readBytes, isWithoutLinks } from "../folder/read-file.ts";
import { createFileFinding, type CheckFinding, type RuleId } from "./findings.ts";
import type { FoundRecording } from "./read-all.ts";

type SearchedRecording = Pick<FoundRecording, "address" | "recording">;

export type SecretFinder = Awaited<ReturnType<typeof createSecretFinder>>;

/** Searches the files of a cassette folder for secrets. The project names exceptions and the policy. */
export async function createSecretFinder(project: Project) {
  const scan = project.scan ?? (await createOwnScanner(project.allowsSecret));
  const rule: RuleId = project.config.secrets === "allow" ? "allowed-secret" : "secret";
  return {
    /** In a recording: `text` is its file's. Also in one that cannot be read. */
    inRecording(found: SearchedRecording, text: string): readonly CheckFinding[] {
      const { provider, request } = found.recording ?? {};
      const named = project.config.credentials?.get(provider ?? "");
      return inRecording(found, { text, scan: scanOfCall(scan, request?.path ?? "", named), rule });
    },
    /** In the blobs, whether a recording names them or not. */
    inBlobs: (dir: string): Promise<readonly CheckFinding[]> => inBlobs(dir, { scan, rule }),
  };
}

interface SearchContext {
  readonly scan: Scan;
  readonly rule: RuleId;
}

function inRecording(
  { address: { entry }, recording }: SearchedRecording,
  { text, scan, rule }: SearchContext & { readonly text: string },
): readonly CheckFinding[] {
  const texts = recording === undefined ? [] : listTextsOfRecording(recording);
  if (recording !== undefined && isWithoutSecrets(text, texts, scan)) return [];
  const inFile = scan(text);
  const placed = inFile.flatMap((secret) => {
    const at = text.indexOf(secret.value);
    if (at < 0) return [];
    return [
      {
        rule,
        entry,
        ...positionOf(text, at),
        message: localize("This looks like {0}.", abbreviateSecret(secret)),
      },
    ];
  });
  const reported = new Set(inFile.filter(({ value }) => text.includes(value)).map(({ value }) => value));
  const others = findPlacedSecrets(texts, scan)
    // A value with escapes in the file is reported once, at its beginning.
    .filter((secret) => !isReported(secret, reported))
    .map((secret) =>
      createFileFinding(
        rule,
        entry,
        localize(
          "The {0} contains what looks like {1}.",
          describeRecordingPlace(secret.place),
          abbreviateSecret(secret),
        ),
      ),
    );
  return [...placed, ...others];
}

/**
 * Whether a recording and its file have no secret. The bodies of most files are not searched twice: they are in the
 * recording as they were sent.
 */
function isWithoutSecrets(file: string, texts: readonly PlacedTexts[], scan: Scan): boolean {
  const rest = MAY_BE_COMMENT.test(file) ? file : withoutBodies(file);
  return [rest, ...texts.flatMap((part) => part.texts)].every((text) => scan(text).length === 0);
}

/** People can write comments into a file, anywhere between its values. */
const MAY_BE_COMMENT = /(?:[\n,{[\]}"] *|\w +)\/[/*]/;

/** A body of JSON or events as a file has it, with its first line. */
const BODY = /\n {4}"(?:body|events)": ([[{])\n {6}/g;

function withoutBodies(file: string): string {
  let rest = "";
  let end = 0;
  for (const { index, 1: bracket } of file.matchAll(BODY)) {
    rest += file.slice(end, index);
    const close = file.indexOf(bracket === "{" ? "\n    }" : "\n    ]", index);
    end = close < 0 ? index : close;
  }
  return rest + file.slice(end);
}

/** A value with escapes and the same without them are one secret. */
function isReported({ kind, value }: Secret, reported: ReadonlySet<string>): boolean {
  if (reported.has(value)) return true;
  const beginning = value.slice(0, 16);
  return kind === "private key" && [...reported].some((other) => other.startsWith(beginning));
}

async function inBlobs(dir: string, { scan, rule }: SearchContext): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  if (!isWithoutLinks(dir, BLOBS)) return findings;
  const names = await readdir(join(dir, BLOBS)).catch(recoverFromCodes<string[]>(NOWHERE, []));
  for (const name of names.sort()) {
    const path = join(dir, BLOBS, name);
    if (!(await lstat(path)).isFile()) continue;
    const bytes = await readBytes(path).catch(notRead);
    if (bytes === undefined) findings.push(createFileFinding("stray-file", `blobs/${name}`, notSearched()));
    for (const secret of scan(readableIn(bytes ?? Buffer.alloc(0))))
      findings.push(
        createFileFinding(
          rule,
          `blobs/${name}`,
          localize("This file contains what looks like {0}.", abbreviateSecret(secret)),
        ),
      );
  }
  return findings;
}

const notSearched = (): string => localize("It is larger than 256 MiB, so it was not searched for secrets.");

function notRead(error: unknown): undefined {
  if (!isNoFile(error)) throw error;
}

/** Returns the readable text of a file of any kind. */
function readableIn(bytes: Buffer): string {
  return (bytes.toString("latin1").match(/[\t\n\r\x20-\x7e]{16,1048576}/g) ?? []).join("\n");
}

function positionOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
