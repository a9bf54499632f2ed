import type { ConfigBlock } from '../config-schema.ts';
import type { Kind } from './kind.ts';

/** Makes an image of a package; the kind's name is the scheme: `npx` for `npx://PACKAGE`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SchemeKind<Block extends ConfigBlock = any> extends Kind<Block, Scheme> {
  /** Whose rules the text behind `://` follows; a scheme of another ecosystem brings its own. */
  readonly packages: Ecosystem | PackageParser;
}

export type Ecosystem = 'npm' | 'python' | 'go';

/** Reads what stands behind `://`; throws a PortolanError when that is no package. Pure. */
export type PackageParser = (text: string) => PackageReference;

/** A package whose every part was checked against the rules of its ecosystem. */
export type PackageReference =
  | {
      readonly from: 'index';
      /** `@acme/notes-mcp`, `mcp-server-time`, `example.org/acme/tool/cmd/server`. */
      readonly name: string;
      /** Optional parts of a Python package, in square brackets there. */
      readonly extras: readonly string[];
      /** A version, or a tag such as `latest`; undefined where none was named. */
      readonly version: string | undefined;
      /** Whether the version can only ever mean one thing. */
      readonly pinned: boolean;
      /** Program of the package that starts; left out where the package decides. */
      readonly program?: string;
    }
  | {
      readonly from: 'folder';
      /** As it was named: `./cmd/server`. */
      readonly path: string;
      /** Program of the package that starts; left out where the package decides. */
      readonly program?: string;
    };

/** Label with which each stage of a Dockerfile names the build that it belongs to. */
export const BUILD_LABEL = 'portolan.dev/build';

/** Files with credentials that package tools read in the home folder, a dot in front. */
export const AUTH_FILES = ['npmrc', 'netrc', 'yarnrc'] as const;
export type AuthFileName = (typeof AUTH_FILES)[number];

export interface Scheme {
  /**
   * Files with credentials that its package tools read; its plans begin the step
   * that needs them, and the user's variables of builds, with LOAD_CREDENTIALS
   * where `BuildInput.prepared` is there. Left out: its builds get neither.
   */
  readonly authFiles?: readonly AuthFileName[];
  /**
   * The exact version that an index gives for the reference now. Rejects with
   * ERR_PACKAGE_NOT_FOUND when there is no such package or version.
   */
  resolveVersion(reference: IndexedPackage, options: SchemeOptions): Promise<string>;
  /**
   * Asked before the image of a package is built that is not there yet. Rejects
   * where its index says already that nothing can come of it: no such version,
   * nothing that could be started. An index that does not answer is no reason.
   * Left out: the build finds out.
   */
  checkPackage?(reference: IndexedPackage, options: SchemeOptions): Promise<void>;
  /**
   * Addresses of the package indexes that the user's own settings name, the default one first. A
   * registry entry may name one of them and no other. Left out: it may name none.
   */
  listIndexes?(options: SchemeOptions): Promise<readonly string[]>;
  /** What the image is built of; the same input gives the same plan. */
  planBuild(input: BuildInput, options: SchemeOptions): Promise<BuildPlan>;
  /** Hosts that a build of this input has to reach: indexes as the user's own settings name them, and their downloads. */
  reachesHosts(input: BuildInput, options: SchemeOptions): Promise<readonly BuildHost[]>;
}

export type IndexedPackage = Extract<PackageReference, { from: 'index' }>;

export interface SchemeOptions {
  /**
   * Variables of this process, the user's variables of builds over them. For a
   * plan, those whose value is a secret or of the shell are left out.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of the user's variables of builds. Credentials in their values may be sent to the index that they name. */
  readonly buildVariables?: readonly string[] | undefined;
  /** Text of files with credentials, in place of those of `home`. For a plan, each that there is has no text. */
  readonly authFiles?: Readonly<Partial<Record<AuthFileName, string>>> | undefined;
  /** Home folder of the user, where settings of package tools are. */
  readonly home: string;
  readonly workingDirectory: string;
  /** Certificates in PEM form that are trusted beside the usual ones when an index is asked. */
  readonly caCertificates?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BuildInput {
  /** Its version is exact where it comes from an index. */
  readonly reference: PackageReference;
  /** Base image by name; undefined: the scheme's own. */
  readonly baseImage: string | undefined;
  /** System packages on top of the scheme's own. */
  readonly addedPackages: readonly string[];
  /** More requirements for the resolver, where the scheme knows such. */
  readonly buildWith: readonly string[];
  /** Variables of the image. */
  readonly environment: Readonly<Record<string, string>>;
  /** Certificates in PEM form that are trusted in the build and at run time. */
  readonly caCertificates: string | undefined;
  /** User and group of the caller, `1000:1000`, whom a container with folders of the caller runs as. */
  readonly caller?: string;
  /** Arguments that every start of the image has, before those of the run. */
  readonly entryArguments?: readonly string[];
  /** What the steps of the build can load with LOAD_CREDENTIALS; left out: nothing. */
  readonly prepared?: BuildPreparation;
}

/** What a build is given beside its context, by name. No value may stand in a plan. */
export interface BuildPreparation {
  /** Names of variables, in order. */
  readonly variables: readonly string[];
  readonly authFiles: readonly AuthFileName[];
}

export interface BuildPlan {
  /** Text of the Dockerfile. */
  readonly dockerfile: string;
  /** Images that its stages start from; they are provided before. */
  readonly baseImages: readonly string[];
  readonly buildArguments: Readonly<Record<string, string>>;
  readonly files: readonly BuildFile[];
  /** A folder of this machine whose content belongs to the context. */
  readonly folder?: BuildFolder;
}

/**
 * Folder of this machine that is copied into a build. Left out are `.git`, what `leavesOut` and its
 * `.dockerignore` name, and links that lead out of it.
 */
export interface BuildFolder {
  /** Where in the context. */
  readonly path: string;
  /** Absolute path on this machine. */
  readonly source: string;
  /** Patterns of a `.dockerignore`, which that of the folder follows. */
  readonly leavesOut?: readonly string[];
}

/** One file of the build context: `content` itself, or a path of this machine to read. */
export type BuildFile = { readonly path: string; readonly mode: number } & (
  | { readonly content: string }
  | { readonly source: string }
);

export interface BuildHost {
  /** `.example.org` stands for the host and everything below it. */
  readonly host: string;
  readonly port: number;
}
