/** Variables by name, e.g. `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a remote is, as it was read from what the user wrote and from the environment. */
export type RemoteAddress = FolderAddress | RedisAddress | S3Address;

export interface FolderAddress {
  readonly type: "folder";
  readonly name: string;
  /** An absolute path. */
  readonly dir: string;
}

export interface RedisAddress {
  readonly type: "redis";
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly database: number;
  /** What the keys begin with. */
  readonly prefix: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** After how long without a read an object goes, in seconds; undefined where the server decides. */
  readonly expireSeconds: number | undefined;
}

export interface S3Address {
  readonly type: "s3";
  readonly name: string;
  /** Scheme, host and port, without a path: "https://s3.eu-central-1.amazonaws.com". */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** What the keys begin with: "" or a path with "/" at its end. */
  readonly prefix: string;
  /** Whether the bucket is the first part of the path or of the host. */
  readonly style: "path" | "host";
  readonly credentials: S3Credentials;
  /** After how long the bucket's own rules remove an object, in seconds; undefined where they do not. */
  readonly expireSeconds: number | undefined;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}
