import type { ConfigBlock } from '../config-schema.ts';
import type { Kind } from './kind.ts';

/** Builds an image from a package. The kind's name is the scheme: `npx` for `npx://PACKAGE`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SchemeKind<Block extends ConfigBlock = any> extends Kind<Block, Scheme> {
  /** Ecosystem that defines the syntax of the text after `://`, or a function that parses the text. */
  readonly packages: Ecosystem | PackageParser;
}

export type Ecosystem = 'npm' | 'python' | 'go';

/** Parses the text after `://`. Throws a PortolanError for invalid text. Has no side effects. */
export type PackageParser = (text: string) => PackageReference;

export type PackageReference =
  | {
      readonly from: 'index';
      /** Name of the package, such as `@acme/notes-mcp` or `example.org/acme/tool/cmd/server`. */
      readonly name: string;
      /** Extras of a Python package, in square brackets. */
      readonly extras: readonly string[];
      /** A version, or a tag such as `latest`. */
      readonly version: string | undefined;
      /** Whether the version is immutable. */
      readonly pinned: boolean;
      /** Program of the package to start. Default: the package's own. */
      readonly program?: string;
    }
  | {
      readonly from: 'folder';
      /** Path as the user wrote it: `./cmd/server`. */
      readonly path: string;
      /** Program of the package to start. Default: the package's own. */
      readonly program?: string;
    };

/** Label by which each stage of a Dockerfile identifies its build. */
export const BUILD_LABEL = 'portolan.dev/build';

/** Files in the home folder, without the leading dot. */
export const AUTH_FILES = ['npmrc', 'netrc', 'yarnrc'] as const;
export type AuthFileName = (typeof AUTH_FILES)[number];

export interface Scheme {
  /**
   * Credential files that this scheme's package tools read. When `BuildInput.prepared` is present, plans
   * begin the step that needs the files and the user's build variables with LOAD_CREDENTIALS. Default: builds
   * get neither.
   */
  readonly authFiles?: readonly AuthFileName[];
  /** Returns the exact current version. Rejects with ERR_PACKAGE_NOT_FOUND. */
  resolveVersion(reference: IndexedPackage, options: SchemeOptions): Promise<string>;
  /**
   * Returns the hash by which the index identifies an exact version, such as `sha512-…`, for lock files. Undefined
   * if the index has none. Default: versions have no hash.
   */
  findIntegrity?(reference: IndexedPackage, options: SchemeOptions): Promise<string | undefined>;
  /**
   * Rejects when the index shows that the build cannot succeed: an unknown version, or no program to start.
   * An unreachable index is not an error.
   */
  checkPackage?(reference: IndexedPackage, options: SchemeOptions): Promise<void>;
  /**
   * Returns the indexes in the user's own settings, the default one first. A registry entry may use only
   * these.
   */
  listIndexes?(options: SchemeOptions): Promise<readonly string[]>;
  /** Returns the plan of a build. Equal input yields an equal plan. */
  planBuild(input: BuildInput, options: SchemeOptions): Promise<BuildPlan>;
  /** Returns the hosts that a build contacts: the indexes in the user's settings and their download hosts. */
  reachesHosts(input: BuildInput, options: SchemeOptions): Promise<readonly BuildHost[]>;
}

export type IndexedPackage = Extract<PackageReference, { from: 'index' }>;

export interface SchemeOptions {
  /**
   * Environment of this process, overridden by the user's build variables. For `planBuild`, it omits secret
   * values and variables of the shell.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Names of the user's build variables. Credentials in their values may be sent to the index that the value
   * names.
   */
  readonly buildVariables?: readonly string[] | undefined;
  /**
   * Credential files by name, used in place of the files in `home`. For `planBuild`, the content of each
   * existing file is empty.
   */
  readonly authFiles?: Readonly<Partial<Record<AuthFileName, string>>> | undefined;
  /** Home folder with the settings of package tools. */
  readonly home: string;
  readonly workingDirectory: string;
  /** Trusted for index requests, in PEM. */
  readonly caCertificates?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BuildInput {
  /** Package to build. Has an exact version if it comes from an index. */
  readonly reference: PackageReference;
  /** Reference of the base image. Undefined for the scheme's default image. */
  readonly baseImage: string | undefined;
  /** System packages to install in addition to those of the scheme. */
  readonly addedPackages: readonly string[];
  readonly buildWith: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Trusted at build and run time, in PEM. */
  readonly caCertificates: string | undefined;
  /** User and group, such as `1000:1000`, of a container that mounts the caller's folders. */
  readonly caller?: string;
  /** Arguments that the entry point puts before the arguments of a run. */
  readonly entryArguments?: readonly string[];
  /** Credentials for build steps, which LOAD_CREDENTIALS loads. */
  readonly prepared?: BuildPreparation;
}

/** Credentials that are provided to build steps separately, because plans must not contain their values. */
export interface BuildPreparation {
  readonly variables: readonly string[];
  readonly authFiles: readonly AuthFileName[];
}

export interface BuildPlan {
  readonly dockerfile: string;
  /** Base images to pull before the build. */
  readonly baseImages: readonly string[];
  readonly buildArguments: Readonly<Record<string, string>>;
  readonly files: readonly BuildFile[];
  /** A local folder whose content is part of the context. */
  readonly folder?: BuildFolder;
}

/**
 * Local folder to copy into a build. `.git`, files that match `leavesOut` or the folder's `.dockerignore`,
 * and links that lead out of the folder are left out.
 */
export interface BuildFolder {
  /** Path in the context. */
  readonly path: string;
  /** Absolute path on this machine. */
  readonly source: string;
  /** `.dockerignore` syntax, applied before those of the folder. */
  readonly leavesOut?: readonly string[];
}

export type BuildFile = { readonly path: string; readonly mode: number } & (
  | { readonly content: string }
  | { readonly source: string }
);

export interface BuildHost {
  /** Name of the host. `.example.org` matches example.org and every name below it. */
  readonly host: string;
  readonly port: number;
}
