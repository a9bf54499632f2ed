import { withoutHost } from './find-built.ts';

/**
 * Repository of tags with which earlier versions of Portolan marked that a second state folder uses an image.
 * Current versions only read these tags.
 */
const REPOSITORY = 'portolanused/';

export function useMarkOf(reference: string, stateId: string): string {
  return `${REPOSITORY}${stateId}:${reference.slice(reference.lastIndexOf(':') + 1)}`;
}

export function usersIn(references: readonly string[]): readonly string[] {
  return references.map(withoutHost).flatMap((name) => {
    if (!name.startsWith(REPOSITORY)) return [];
    return name.slice(REPOSITORY.length, name.lastIndexOf(':'));
  });
}
