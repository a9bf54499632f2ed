import { withoutHost } from './find-built.ts';

/**
 * Repository in which earlier versions gave an image one more name for each state folder that used it without
 * having built it. Names that are left are read; none are made any more.
 */
const REPOSITORY = 'portolanused/';

/** By which the workloads of a state folder hold an image. */
export function useMarkOf(reference: string, stateId: string): string {
  return `${REPOSITORY}${stateId}:${reference.slice(reference.lastIndexOf(':') + 1)}`;
}

/** The state folders that say by its names that they use an image. */
export function usersIn(references: readonly string[]): readonly string[] {
  return references.map(withoutHost).flatMap((name) => {
    if (!name.startsWith(REPOSITORY)) return [];
    return name.slice(REPOSITORY.length, name.lastIndexOf(':'));
  });
}
