import { said, type SourceResponse } from '../parts/api-responses.ts';
import type { ManageView } from '../parts/manage-page.ts';

/** Returns the sources that the visitor may see; none without the role that manages sources. */
export async function visibleSources({
  api,
  roles,
}: Pick<ManageView, 'api' | 'roles'>): Promise<readonly SourceResponse[]> {
  if (!roles.includes('manageSources')) return [];
  const { sources = [] } = said<{ readonly sources?: readonly SourceResponse[] }>(
    await api({ path: '/v1/sources' }),
  );
  return sources;
}

/** Returns the names of sources that accept published entries. */
export async function managedSources(view: Pick<ManageView, 'api' | 'roles'>): Promise<readonly string[]> {
  return (await visibleSources(view)).flatMap(({ name, type }) => (type === 'managed' ? [name] : []));
}
