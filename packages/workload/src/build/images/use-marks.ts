import { withoutHost } from './find-built.ts';

/**
 * Repository of tags by which earlier versions marked that a state folder uses an image of another. Portolan
 * still reads these tags but creates none.
 */
const REPOSITORY = 'portolanused/';

/** Returns the tag that marks the use of an image by a state folder. */
export function useMarkOf(reference: string, stateId: string): string {
  return `${REPOSITORY}${stateId}:${reference.slice(reference.lastIndexOf(':') + 1)}`;
}

/** Returns the ids of the state folders that use an image, from its tags. */
export function usersIn(references: readonly string[]): readonly string[] {
  return references.map(withoutHost).flatMap((name) => {
    if (!name.startsWith(REPOSITORY)) return [];
    return name.slice(REPOSITORY.length, name.lastIndexOf(':'));
  });
}
