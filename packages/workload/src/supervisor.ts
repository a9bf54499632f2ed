import type { ChangeMembers } from './supervisor/supervision.ts';

export { provideEmptyFile } from './supervisor/overlays/empty-file.ts';
export { resolveOverlays } from './supervisor/overlays/resolve-overlays.ts';
export { superviseWorkload } from './supervisor/supervise-workload.ts';

/** Prepares the members of a changed members file; see `ChangeMembers`. */
export const changeMembers: ChangeMembers = async (...change) => {
  // Loaded on demand, because only a changed members file needs the steps of a run.
  const { changeMembers: prepare } = await import('./run/members/change-members.ts');
  return await prepare(...change);
};
