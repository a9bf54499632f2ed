import type {
  ContainerMount,
  ContainerNetwork,
  EngineDescription,
  ImageDescription,
  Labels,
  Transport,
} from '@portolan/plugin-api';
import type { PathContext } from '@portolan/run-spec';

/** Repository of images that Portolan built. Engines may put their own host in front. */
const BUILT = /^(?:localhost\/)?portolanlocal\//;

export function isBuiltImage(reference: string): boolean {
  return BUILT.test(reference);
}

export interface UserFacts extends Pick<ContainerFacts, 'engine' | 'caller'> {
  readonly isBuilt: boolean;
  readonly hasMounts: boolean;
}

/**
 * Returns the user and group of a container as numbers; undefined means the image's own user. An image that
 * Portolan built, with folders of the caller mounted, runs as the caller to have the same access to them. In
 * a rootless engine that is user 0, which maps to the caller outside.
 */
export function userOf({ engine, caller, isBuilt, hasMounts }: UserFacts): string | undefined {
  if (!isBuilt || !hasMounts) return undefined;
  if (engine.rootless) return '0:0';
  return caller === undefined ? undefined : `${caller.uid}:${caller.gid}`;
}

export interface ContainerFacts {
  readonly name: string;
  readonly labels: Labels;
  readonly image: Pick<ImageDescription, 'id' | 'user' | 'environment'>;
  readonly engine: Pick<EngineDescription, 'rootless' | 'defaultLimits'>;
  readonly transport: Transport;
  /**
   * Lifetime of the server process. With `session`, the process serves one session and ends with that
   * session.
   */
  readonly serves: 'session' | 'shared';
  readonly secrets: Readonly<Record<string, string>>;
  /** Gateway whose network the container joins; undefined without an isolated network. */
  readonly gateway:
    | { readonly network: ContainerNetwork; readonly environment: Readonly<Record<string, string>> }
    | undefined;
  /** Mounts that hide files named by ignore rules. */
  readonly overlays: readonly ContainerMount[];
  /** IP address of this host for the ports of `--publish`. */
  readonly publishAddress: string;
  readonly paths: PathContext;
  /** User and group of this process; undefined on systems without user numbers. */
  readonly caller: { readonly uid: number; readonly gid: number } | undefined;
  /** Whether the server has turned out to need a writable root folder. */
  readonly writableRoot: boolean;
}
