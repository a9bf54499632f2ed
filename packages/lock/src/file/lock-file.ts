/** Version of the format of lock files. */
export const LOCK_FILE_VERSION = 1;

/** Contents of a lock file: what was approved, by workload. */
export interface LockFile {
  readonly version: typeof LOCK_FILE_VERSION;
  /** Algorithm of the digests: `FORMULA` of the Portolan that wrote them. */
  readonly formula: number;
  readonly workloads: ReadonlyMap<string, LockedWorkload>;
}

/** Approved definitions of one workload. */
export interface LockedWorkload {
  /** Target as requested, such as `npx://@acme/github-mcp@2.1.0`. Never a path, and never with a password. */
  readonly source: string;
  /** Package or image of the target. Undefined for a remote server and for an image built locally. */
  readonly resolved?: Resolved | undefined;
  readonly entry?: LockedEntry | undefined;
  readonly signer?: Signer | undefined;
  readonly server: LockedServer;
  /** Digest of the permission profile. */
  readonly profile?: string | undefined;
  readonly tools: ReadonlyMap<string, LockedItem>;
  readonly prompts: ReadonlyMap<string, LockedItem>;
  /** Resource templates by URI template. */
  readonly templates: ReadonlyMap<string, LockedItem>;
}

/** Version of a package or image that a workload runs. */
export type Resolved = ResolvedPackage | ResolvedImage;

export interface ResolvedPackage {
  readonly package: string;
  readonly version: string;
  /** Hash of the package from its index, such as `sha512-…`. */
  readonly integrity: string;
}

export interface ResolvedImage {
  /** Image reference, such as `ghcr.io/acme/github:2.1.0`. */
  readonly image: string;
  /** Digest of the image's index, which every platform shares. */
  readonly digest: string;
}

/** Registry entry of a workload. */
export interface LockedEntry {
  /** URL of the registry, without a password and a query; see `sourceOf`. */
  readonly registry: string;
  readonly name: string;
  readonly version: string;
  readonly digest: string;
}

/** Identity that signed an image. */
export interface Signer {
  readonly issuer: string;
  readonly identity: string;
}

/** Identity, capabilities and instructions of a server. */
export interface LockedServer {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** Protocol revisions, sorted. */
  readonly revisions: readonly string[];
  /** Digest of `capabilities`. */
  readonly capabilities: string;
  /** Digest of `instructions`. Undefined for a server without. */
  readonly instructions?: string | undefined;
}

/** Approval of a tool, a prompt or a template. */
export interface LockedItem {
  readonly digest: string;
  /** Date of the approval, such as `2026-11-29`. */
  readonly approved: string;
  /** User who approved it. */
  readonly by?: string | undefined;
}

/** Canonical JSON by digest. */
export type Contents = ReadonlyMap<string, string>;
