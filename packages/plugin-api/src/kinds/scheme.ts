import type { ConfigBlock } from '../config-schema.ts';
import type { Kind } from './kind.ts';

/** Builds an image from a package. The kind's name is the scheme: `npx` for `npx://PACKAGE`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SchemeKind<Block extends ConfigBlock = any> extends Kind<Block, Scheme> {
  /** Ecosystem whose rules the text after `://` follows, or a parser for another ecosystem. */
  readonly packages: Ecosystem | PackageParser;
}

export type Ecosystem = 'npm' | 'python' | 'go';

/** Parses the text after `://`. Throws a PortolanError for an invalid package. Pure. */
export type PackageParser = (text: string) => PackageReference;

/** A package reference, validated by the rules of its ecosystem. */
export type PackageReference =
  | {
      readonly from: 'index';
      /** Such as `@acme/notes-mcp`, `mcp-server-time` or `example.org/acme/tool/cmd/server`. */
      readonly name: string;
      /** Extras of a Python package, which its syntax has in square brackets. */
      readonly extras: readonly string[];
      /** A version, or a tag such as `latest`. Undefined for none. */
      readonly version: string | undefined;
      /** Whether the version is immutable. */
      readonly pinned: boolean;
      /** Program of the package to start. Default: the package's own. */
      readonly program?: string;
    }
  | {
      readonly from: 'folder';
      /** As written: `./cmd/server`. */
      readonly path: string;
      /** Program of the package to start. Default: the package's own. */
      readonly program?: string;
    };

/** Label by which each stage of a Dockerfile identifies its build. */
export const BUILD_LABEL = 'portolan.dev/build';

/** Credential files of package tools in the home folder, without the leading dot. */
export const AUTH_FILES = ['npmrc', 'netrc', 'yarnrc'] as const;
export type AuthFileName = (typeof AUTH_FILES)[number];

export interface Scheme {
  /**
   * Credential files of its package tools. Its plans begin the step that needs them, and the user's build
   * variables, with LOAD_CREDENTIALS when `BuildInput.prepared` is present. Default: its builds get neither.
   */
  readonly authFiles?: readonly AuthFileName[];
  /**
   * Resolves a reference to the exact current version. Rejects with ERR_PACKAGE_NOT_FOUND for an unknown
   * package or version.
   */
  resolveVersion(reference: IndexedPackage, options: SchemeOptions): Promise<string>;
  /**
   * Checks a package before its image is built for the first time. Rejects when the index shows that the
   * build cannot succeed: an unknown version, or no program to start. An unreachable index is not an error.
   * Default: no check.
   */
  checkPackage?(reference: IndexedPackage, options: SchemeOptions): Promise<void>;
  /**
   * Returns the package indexes in the user's own settings, the default one first. A registry entry may use
   * only these. Absent when entries may use none.
   */
  listIndexes?(options: SchemeOptions): Promise<readonly string[]>;
  /** Plans the build of an image. Equal input yields an equal plan. */
  planBuild(input: BuildInput, options: SchemeOptions): Promise<BuildPlan>;
  /**
   * Returns the hosts that a build of this input needs: the indexes in the user's settings and their download
   * hosts.
   */
  reachesHosts(input: BuildInput, options: SchemeOptions): Promise<readonly BuildHost[]>;
}

export type IndexedPackage = Extract<PackageReference, { from: 'index' }>;

export interface SchemeOptions {
  /**
   * Environment of this process, overridden by the user's build variables. For a plan, without secret values
   * and shell variables.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of the user's build variables. Credentials in them may be sent to the index that they name. */
  readonly buildVariables?: readonly string[] | undefined;
  /** Content of credential files, replacing those of `home`. For a plan, existing ones are empty. */
  readonly authFiles?: Readonly<Partial<Record<AuthFileName, string>>> | undefined;
  /** Home folder of the user, which contains settings of package tools. */
  readonly home: string;
  readonly workingDirectory: string;
  /** Additional trusted certificates for index requests, in PEM. */
  readonly caCertificates?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BuildInput {
  /** Has an exact version if it comes from an index. */
  readonly reference: PackageReference;
  /** Base image reference. Undefined for the scheme's own. */
  readonly baseImage: string | undefined;
  /** System packages besides the scheme's own. */
  readonly addedPackages: readonly string[];
  /** Additional requirements for the resolver, where supported. */
  readonly buildWith: readonly string[];
  /** Environment variables of the image. */
  readonly environment: Readonly<Record<string, string>>;
  /** Additional trusted certificates at build and run time, in PEM. */
  readonly caCertificates: string | undefined;
  /** User and group, such as `1000:1000`, of a container that mounts the caller's folders. */
  readonly caller?: string;
  /** Arguments of every start of the image, before those of the run. */
  readonly entryArguments?: readonly string[];
  /** What build steps can load with LOAD_CREDENTIALS. Default: nothing. */
  readonly prepared?: BuildPreparation;
}

/** Names of what a build gets besides its context. Plans must not contain values. */
export interface BuildPreparation {
  /** Names of variables, in order. */
  readonly variables: readonly string[];
  readonly authFiles: readonly AuthFileName[];
}

export interface BuildPlan {
  /** Text of the Dockerfile. */
  readonly dockerfile: string;
  /** Images that its stages start from. They are made available first. */
  readonly baseImages: readonly string[];
  readonly buildArguments: Readonly<Record<string, string>>;
  readonly files: readonly BuildFile[];
  /** A local folder whose content is part of the context. */
  readonly folder?: BuildFolder;
}

/**
 * Local folder that is copied into a build, without `.git`, files matching `leavesOut` or its
 * `.dockerignore`, and links that lead out of it.
 */
export interface BuildFolder {
  /** Path in the context. */
  readonly path: string;
  /** Absolute path on this machine. */
  readonly source: string;
  /** Patterns in `.dockerignore` syntax, applied before those of the folder. */
  readonly leavesOut?: readonly string[];
}

/** One file of the build context: inline `content`, or a local path. */
export type BuildFile = { readonly path: string; readonly mode: number } & (
  | { readonly content: string }
  | { readonly source: string }
);

export interface BuildHost {
  /** `.example.org` matches the host and everything below it. */
  readonly host: string;
  readonly port: number;
}
