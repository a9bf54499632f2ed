import { type RunConfig, searchSettingsOf } from '@portolan/run-spec';
import type { WorkloadContext } from '../../../workload-context.ts';

/** Checks that the index of the tool search exists, if the search can be on. Throws ERR_KIND_UNKNOWN. */
export async function requireToolIndex(
  search: RunConfig['search'],
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<void> {
  const { mode, index } = searchSettingsOf(search);
  if (mode !== 'off') await kinds.checkToolIndex(index);
}
