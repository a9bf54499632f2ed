import type {
  ContainerMount,
  ContainerNetwork,
  EngineDescription,
  ImageDescription,
  Labels,
  Transport,
} from '@portolan/plugin-api';
import type { PathContext } from '@portolan/run-spec';

/** Repository of the images that are built here; engines may put their own host in front. */
const BUILT = /^(?:localhost\/)?portolanlocal\//;

/** Whether an image of this name was built here: what its files belong to is known then. */
export function isBuiltImage(reference: string): boolean {
  return BUILT.test(reference);
}

export interface UserFacts extends Pick<ContainerFacts, 'engine' | 'caller'> {
  readonly isBuilt: boolean;
  readonly hasMounts: boolean;
}

/**
 * The user that a container runs as, by number; undefined: as its image says.
 * With folders of the caller mounted, an image that was built here runs as the
 * caller, who may read and write them. Under a rootless engine that is user 0,
 * which is the caller outside.
 */
export function userOf({ engine, caller, isBuilt, hasMounts }: UserFacts): string | undefined {
  if (!isBuilt || !hasMounts) return undefined;
  if (engine.rootless) return '0:0';
  return caller === undefined ? undefined : `${caller.uid}:${caller.gid}`;
}

/** What is known beside the run config when a container is planned. */
export interface ContainerFacts {
  /** Name of the container; of the workload's own one, `containerNameOf` of its name. */
  readonly name: string;
  readonly labels: Labels;
  readonly image: Pick<ImageDescription, 'id' | 'user' | 'environment'>;
  readonly engine: Pick<EngineDescription, 'rootless' | 'defaultLimits'>;
  readonly transport: Transport;
  /** `session`: the process serves one session and ends with it. */
  readonly serves: 'session' | 'shared';
  /** Variables whose values are secret. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The gateway in whose network the container is; undefined where it has none. */
  readonly gateway:
    | { readonly network: ContainerNetwork; readonly environment: Readonly<Record<string, string>> }
    | undefined;
  /** What hides files of the mounts (ignore files). */
  readonly overlays: readonly ContainerMount[];
  /** IP address of this host to which ports are published that `--publish` names. */
  readonly publishAddress: string;
  /** Where relative paths of the profile start. */
  readonly paths: PathContext;
  /** User and group of this process; undefined where users have no numbers. */
  readonly caller: { readonly uid: number; readonly gid: number } | undefined;
  /** Whether the image's server has turned out to need a root folder that it can write to. */
  readonly writableRoot: boolean;
}
