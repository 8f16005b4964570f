import process from "node:process";
import { expect, it } from "vitest";
import { explain } from "../../src/core/base/errors.ts";
import { readAddress } from "../../src/remote/address.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "hidden" };
const OWN = { TAPEDECK_REMOTE_ACCESS_KEY_ID: "own", TAPEDECK_REMOTE_SECRET_ACCESS_KEY: "hers" };
const USER = { TAPEDECK_REMOTE_USER: "ci", TAPEDECK_REMOTE_PASSWORD: "hidden" };

/** Addresses of a team cache that can be used, with the environment. */
const USABLE: readonly (readonly [address: string, env?: Readonly<Record<string, string>>])[] = [
  ["/mnt/team"],
  [" file:///mnt/team "],
  ["redis://cache"],
  ["rediss://me:p%40ss@cache.corp:7000/3?prefix=web:"],
  ["valkeys://[::1]:7000"],
  ["redis://cache", USER],
  ["redis://:own@cache", USER],
  ["s3://team/tape/deck/", { ...KEYS, AWS_REGION: "eu-central-1" }],
  ["s3://team.with.dots", KEYS],
  ["s3://team?region=cn-north-1", KEYS],
  ["s3://team?endpoint=http://minio:9000&style=host&region=here", KEYS],
  ["s3://team", { ...KEYS, AWS_ENDPOINT_URL_S3: "http://127.0.0.1:9000" }],
  ["s3://team", { ...KEYS, AWS_SESSION_TOKEN: "tests", ...OWN }],
  ["s3://team", { ...KEYS, AWS_SESSION_TOKEN: "token" }],
];

/** Addresses that cannot, of a path, of Redis, and of S3. None of their secrets is repeated. */
const WRONG = [
  "team ./team http://cache:6379 file://server/share redis:// redis://cache:port redis://cache/main",
  "redis://cache?prefx=a redis://cache?prefix=a&prefix=b redis://cache?prefix=a*b redis://me:hidden#1@cache",
  "redis://me:%hidden@cache s3:// s3://Team s3://127.0.0.1:9000/team s3://id:hidden@team",
  "s3://team?endpoint=minio:9000 s3://team?endpoint=https://me:hidden@minio s3://team?region=Mars!",
  "s3://team?style=new s3://team/a/../b?prefix=x",
];
const UNUSABLE: typeof USABLE = [
  ...["", ...WRONG.join(" ").split(" ")].map((address) => [address, KEYS] as const),
  ["s3://team"],
  ["s3://team", { AWS_ACCESS_KEY_ID: "id" }],
  ["s3://team", { ...KEYS, TAPEDECK_REMOTE_SECRET_ACCESS_KEY: "hidden" }],
];

function refusalOf(address: string, env: Readonly<Record<string, string>>): string {
  try {
    return `not refused: ${JSON.stringify(readAddress(address, env))}`;
  } catch (error) {
    return explain(error);
  }
}

it("addresses of a team cache are read, or refused with a reason and without a password, as the page has it", async () => {
  const read = USABLE.map(([address, env = {}]) => {
    const { type, name, ...rest } = readAddress(address, env);
    return `${address} ${JSON.stringify(env)}\n  ${type} ${name} ${JSON.stringify(rest)}`;
  });
  const refused = UNUSABLE.map(([address, env = {}]) => {
    // Node names the system in one of them.
    const text = refusalOf(address, env).replace(` on ${process.platform}.`, " on this system.");
    expect(text).not.toMatch(/hidden|^not refused/);
    return `${address} ${Object.keys(env).join(" ")}\n  ${text}`;
  });

  // `vitest FILE -u` writes the page anew.
  await expect([...read, "", ...refused, ""].join("\n")).toMatchFileSnapshot("addresses.txt");
});
