import { describe, expect, it } from "vitest";
import { explain } from "../../src/core/base/errors.ts";
import { readAddress } from "../../src/remote/address.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "hidden" };

describe("an address of a team cache", () => {
  it("is an absolute path", () => {
    const folder = { type: "folder", name: "/mnt/team", dir: "/mnt/team" };

    expect(readAddress("/mnt/team", {})).toEqual(folder);
    expect(readAddress(" file:///mnt/team ", {})).toEqual(folder);
  });

  it("is a Redis or Valkey, with or without TLS, user, database and prefix", () => {
    expect(readAddress("redis://cache", {})).toEqual({
      type: "redis",
      name: "redis://cache:6379/0",
      host: "cache",
      port: 6379,
      tls: false,
      database: 0,
      prefix: "tapedeck:",
      user: undefined,
      password: undefined,
    });
    expect(readAddress("rediss://me:p%40ss@cache.corp:7000/3?prefix=web:", {})).toMatchObject({
      name: "rediss://cache.corp:7000/3",
      tls: true,
      database: 3,
      prefix: "web:",
      user: "me",
      password: "p@ss",
    });
    expect(readAddress("valkeys://[::1]:7000", {})).toMatchObject({ host: "::1", tls: true });
  });

  it("takes user and password of a Redis from the environment when it has none", () => {
    const env = { TAPEDECK_REMOTE_USER: "ci", TAPEDECK_REMOTE_PASSWORD: "hidden" };

    expect(readAddress("redis://cache", env)).toMatchObject({ user: "ci", password: "hidden" });
    expect(readAddress("redis://:own@cache", env)).toMatchObject({ user: undefined, password: "own" });
  });

  it("is a bucket of Amazon's, in its region, by its own host", () => {
    expect(readAddress("s3://team/tape/deck/", { ...KEYS, AWS_REGION: "eu-central-1" })).toEqual({
      type: "s3",
      name: "s3://team/tape/deck",
      endpoint: "https://s3.eu-central-1.amazonaws.com",
      region: "eu-central-1",
      bucket: "team",
      prefix: "tape/deck/",
      style: "host",
      credentials: { accessKeyId: "id", secretAccessKey: "hidden", sessionToken: undefined },
    });
    expect(readAddress("s3://team.with.dots", KEYS)).toMatchObject({
      style: "path",
      region: "us-east-1",
      prefix: "",
    });
    expect(readAddress("s3://team?region=cn-north-1", KEYS)).toMatchObject({
      endpoint: "https://s3.cn-north-1.amazonaws.com.cn",
    });
  });

  it("is a bucket of another server", () => {
    expect(readAddress("s3://team?endpoint=http://minio:9000&style=host&region=here", KEYS)).toMatchObject({
      endpoint: "http://minio:9000",
      region: "here",
      style: "host",
    });
    expect(readAddress("s3://team", { ...KEYS, AWS_ENDPOINT_URL_S3: "http://127.0.0.1:9000" })).toMatchObject(
      {
        endpoint: "http://127.0.0.1:9000",
        style: "path",
      },
    );
  });

  it("prefers its own credentials to those that tests use", () => {
    const own = { TAPEDECK_REMOTE_ACCESS_KEY_ID: "own", TAPEDECK_REMOTE_SECRET_ACCESS_KEY: "hers" };

    expect(readAddress("s3://team", { ...KEYS, AWS_SESSION_TOKEN: "tests", ...own })).toMatchObject({
      credentials: { accessKeyId: "own", secretAccessKey: "hers", sessionToken: undefined },
    });
    expect(readAddress("s3://team", { ...KEYS, AWS_SESSION_TOKEN: "token" })).toMatchObject({
      credentials: { sessionToken: "token" },
    });
  });
});

describe("an invalid address is refused with a reason, without its password:", () => {
  it.each([
    [
      "team",
      '"team" is not the address of a team cache: it is neither an absolute path nor an address. Use an absolute path',
    ],
    ["./team", "it is neither an absolute path nor an address"],
    ["", "it is neither an absolute path nor an address"],
    ["http://cache:6379", "http:// is not supported"],
    ["file://server/share", "is not the address of a team cache"],
    ["redis://", "is not the address of a team cache"],
    ["redis://cache:port", "it cannot be read"],
    ["redis://cache/main", '"/main" is not a database number. Use redis://host:6379/0.'],
    ["redis://cache?prefx=a", '"prefx" is not a parameter of it. The parameters after "?" are prefix=….'],
    ["redis://cache?prefix=a&prefix=b", '"prefix" is repeated'],
    ["redis://cache?prefix=a*b", '"a*b" is not a valid prefix'],
    ["redis://me:hidden#1@cache", "is not the address of a team cache"],
    ["redis://me:%hidden@cache", 'a "%" in it is not followed by two hexadecimal digits. Write "%" as %25.'],
    ["s3://", "is not the address of a team cache"],
    ["s3://Team", '"Team" is not a valid bucket name'],
    ["s3://127.0.0.1:9000/team", '"127.0.0.1:9000" is not a valid bucket name. A bucket name has 3 to 63'],
    [
      "s3://id:hidden@team",
      "it contains a user or password. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ],
    ["s3://team?endpoint=minio:9000", "its endpoint is not https://host or http://host"],
    ["s3://team?endpoint=https://me:hidden@minio", "its endpoint is not https://host or http://host"],
    ["s3://team?region=Mars!", '"Mars!" is not a valid region'],
    ["s3://team?style=new", '"new" is not a style. Use style=path or style=host.'],
    ["s3://team/a/../b?prefix=x", '"prefix" is not a parameter of it'],
  ])("%s", (address, expected) => {
    const text = failureOf(() => readAddress(address, KEYS));

    expect(text).toContain(expected);
    expect(text).not.toContain("hidden");
  });

  it.each([
    [{}, "The team cache has no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"],
    [
      { AWS_ACCESS_KEY_ID: "id" },
      "The credentials of the team cache are incomplete: AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set.",
    ],
    [
      { ...KEYS, TAPEDECK_REMOTE_SECRET_ACCESS_KEY: "hidden" },
      "TAPEDECK_REMOTE_ACCESS_KEY_ID or TAPEDECK_REMOTE_SECRET_ACCESS_KEY is not set",
    ],
  ])("a bucket with the credentials %j", (env, expected) => {
    const text = failureOf(() => readAddress("s3://team", env));

    expect(text).toContain(expected);
    expect(text).not.toContain("hidden");
  });
});

function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return explain(error);
  }
  throw new Error("nothing failed");
}
