import type { ContainerFacts } from './plan-container.ts';

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
