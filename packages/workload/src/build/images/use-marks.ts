import { withoutHost } from './find-built.ts';

/**
 * Repository of tags by which earlier versions marked the use of another state folder's image. Portolan
 * creates no such tags any more.
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
