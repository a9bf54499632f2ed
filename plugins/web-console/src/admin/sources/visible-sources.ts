import { said, type SourceAnswer } from '../parts/api-answers.ts';
import type { ManageView } from '../parts/manage-page.ts';

/** The sources that the visitor may see. The API tells them only to those who manage sources; others get none. */
export async function visibleSources({
  api,
  roles,
}: Pick<ManageView, 'api' | 'roles'>): Promise<readonly SourceAnswer[]> {
  if (!roles.includes('manageSources')) return [];
  const { sources = [] } = said<{ readonly sources?: readonly SourceAnswer[] }>(
    await api({ path: '/v1/sources' }),
  );
  return sources;
}

/** Names of those that people publish to. */
export async function managedSources(view: Pick<ManageView, 'api' | 'roles'>): Promise<readonly string[]> {
  return (await visibleSources(view)).flatMap(({ name, type }) => (type === 'managed' ? [name] : []));
}
