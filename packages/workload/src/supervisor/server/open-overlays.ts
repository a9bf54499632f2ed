import type { ContainerMount } from '@portolan/plugin-api';
import { checkMounts } from '../container/check-mounts.ts';
import { plannedMounts } from '../container/plan-container.ts';
import { provideEmptyFile } from '../overlays/empty-file.ts';
import { Overlays, type ResolvedOverlays } from '../overlays/resolve-overlays.ts';
import type { Supervision } from '../supervision.ts';

export type FindOverlays = (signal: AbortSignal) => Promise<readonly ContainerMount[]>;

/**
 * Reads the ignore rules, and reports what they hide. The first container uses this result. For each later
 * container, the same rules are applied to the files that exist then. Throws ERR_MOUNT_MISSING, and as
 * `resolveOverlays`.
 */
export async function openOverlays(work: Supervision): Promise<FindOverlays> {
  const { config, context, lifecycle, report } = work;
  const planned = plannedMounts(config, { paths: context, overlays: [] });
  // Ignore rules do not apply to volumes that the engine manages.
  const mounts = planned.filter(({ type }) => type === 'bind');
  if (mounts.length === 0) return () => Promise.resolve([]);
  await checkMounts(mounts);
  const { directories } = context;
  const overlays = await Overlays.read(mounts, {
    loadGlobal: config.ignore_config?.LoadGlobal ?? true,
    ignoreFiles: directories.ignoreFiles,
    emptyFile: await provideEmptyFile(directories.statuses),
  });
  let first: ResolvedOverlays | undefined = await overlays.resolve(lifecycle.signal);
  for (const text of first.warnings) report({ report: 'warning', text });
  if (config.ignore_config?.PrintOverlays === true) tellHidden(work, first);
  return async (signal) => {
    // If the first container was adopted, the next one may start much later, so search the files again.
    const resolvedOverlays = lifecycle.isStarting ? first : undefined;
    first = undefined;
    return (resolvedOverlays ?? (await overlays.resolve(signal))).mounts;
  };
}

function tellHidden({ context, report }: Supervision, { resolved }: ResolvedOverlays): void {
  for (const { containerPath, kind, hostPath } of resolved) {
    context.logger.info({ containerPath, kind, hostPath }, 'hidden in the container');
    report({ report: 'note', text: `hidden: ${containerPath} (${kind})` });
  }
  if (resolved.length === 0) report({ report: 'note', text: 'hidden: nothing' });
}
