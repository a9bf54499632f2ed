import { showPath } from '@portolan/run-spec';
import { mountChanged } from '../../../supervisor/container/container-errors.ts';
import type { MountPaths } from '../../../supervisor/container/resolve-mounts.ts';
import type { ConsentRequest } from '../../../consent/require-consent.ts';

/**
 * Throws ERR_MOUNT_CHANGED when a mounted path leads elsewhere than at the time of the consent question.
 * Another workload may have redirected it in the meantime.
 */
export function requireAcceptedPaths(
  consent: ConsentRequest | undefined,
  paths: MountPaths,
  home: string,
): void {
  const mounts = (consent?.demands.grants ?? []).filter(({ kind }) => kind === 'mount');
  for (const [source, real] of Object.entries(paths)) {
    const plain = showPath(source, { home, realPath: () => source });
    const shown = showPath(source, { home, realPath: () => real });
    const accepted = mounts.find(
      ({ subject }) => subject === plain || subject.startsWith(`${plain} (a link to `),
    );
    if (accepted !== undefined && accepted.subject !== shown)
      throw mountChanged(source, real, accepted.subject);
  }
}
