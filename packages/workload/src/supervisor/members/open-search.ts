import type { ToolIndex } from '@portolan/plugin-api';
import { type RunConfig, searchSettingsOf } from '@portolan/run-spec';
import type { SearchSettings } from '@portolan/virtual-server';
import type { WorkloadContext } from '../../workload-context.ts';

export interface OpenSearch {
  readonly search: SearchSettings;
  /** Index of the search, which is closed together with the context; undefined while the search is off. */
  readonly toolIndex: ToolIndex | undefined;
}

/** Opens the tool search that a run config describes. Throws ERR_KIND_UNKNOWN. */
export async function openSearch(
  fields: RunConfig['search'],
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<OpenSearch> {
  const { index, ...search } = searchSettingsOf(fields);
  return { search, toolIndex: search.mode === 'off' ? undefined : await kinds.openToolIndex(index) };
}
