import { type RunConfig, textOf } from '@portolan/run-spec';
import { openEngine } from '../../open-engine.ts';
import { serverConfigsOf } from '../../state/member-config.ts';
import { volumeLabels } from '../../state/workload-labels.ts';
import { mountsOf } from '../../supervisor/container/plan-container.ts';
import type { WorkloadContext } from '../../workload-context.ts';

/**
 * Removes the named volumes of a removed workload, except those that Portolan did not create or that another
 * workload uses. Returns a note for each kept volume. Rejects only with the reason of the signal.
 */
export async function removeVolumes(
  config: RunConfig,
  context: WorkloadContext,
  { removes, signal }: { readonly removes: boolean; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const names = volumesOf(config, context);
  if (names.length === 0) return [];
  if (!removes) return names.map((name) => `The volume ${name} is kept with its data.`);
  const users = (await context.store.list()).filter((one) => one.name !== config.name);
  try {
    const engine = await openEngine(context, 'Volumes are removed');
    const made = await engine.listVolumes?.(volumeLabels(context.directories), signal);
    const notes: string[] = [];
    for (const name of names) {
      const user = users.find(
        (one) => one.config !== undefined && volumesOf(one.config, context).includes(name),
      );
      if (user !== undefined) notes.push(`The volume ${name} is kept: the workload ${user.name} uses it.`);
      else if (made?.some((volume) => volume.name === name) !== true) {
        notes.push(`The volume ${name} is kept: Portolan did not create it.`);
      } else notes.push(...(await removeOne(name, async () => engine.removeVolume?.(name, signal))));
    }
    return notes;
  } catch (error) {
    signal.throwIfAborted();
    return [`The volumes ${names.join(', ')} were not removed: ${textOf(error)}`];
  }
}

async function removeOne(name: string, remove: () => Promise<void>): Promise<readonly string[]> {
  try {
    await remove();
    return [];
  } catch (error) {
    return [`The volume ${name} was not removed: ${textOf(error)}`];
  }
}

function volumesOf(config: RunConfig, context: WorkloadContext): readonly string[] {
  const mounts = serverConfigsOf(config).flatMap((one) =>
    one.remote_url === '' ? mountsOf(one.permission_profile, context) : [],
  );
  return [...new Set(mounts.flatMap((mount) => (mount.type === 'volume' ? [mount.name] : [])))];
}
