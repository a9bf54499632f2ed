import { createRunConfig, type Members, requireEnforced } from '@portolan/run-spec';
import { findMemberConfig } from '../../state/member-config.ts';
import { mountsOf } from '../../supervisor/container/plan-container.ts';
import { resolveMounts } from '../../supervisor/container/resolve-mounts.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunObserver } from '../run-observer.ts';
import { provideConfigImage } from '../steps/config-image.ts';
import type { PreparedRun } from '../steps/prepared-run.ts';
import { settleFile } from '../steps/settle-file.ts';

/**
 * Prepares a member whose run config is complete, such as that of an exported virtual server. The consent to
 * the file of the virtual server includes it.
 */
export function storedMember(
  { name, members }: { readonly name: string; readonly members: Members },
  member: string,
  context: WorkloadContext,
  observer: RunObserver,
  signal: AbortSignal,
): PreparedRun {
  const config = findMemberConfig(createRunConfig({ name, members }), member);
  if (config === undefined) throw new TypeError(`the member ${member} has no run config`);
  return {
    name: config.name,
    group: '',
    consent: undefined,
    settle: async () => {
      requireEnforced(config);
      const mounts = config.remote_url === '' ? mountsOf(config.permission_profile, context) : [];
      const mountPaths = await resolveMounts(mounts);
      if (config.remote_url === '') observer.step('image', `Providing the image of the member ${member}`);
      const onProgress = observer.image.bind(observer);
      const image = await provideConfigImage(config, '', context, { onProgress, signal });
      for (const note of image?.notes ?? []) observer.warn(`member ${member}: ${note}`);
      const settled = await settleFile(
        { ...config, token_exchange_config: undefined },
        { image, transports: context.kinds.transports, workloads: [], replaced: undefined },
      );
      return { ...settled, mountPaths };
    },
  };
}
