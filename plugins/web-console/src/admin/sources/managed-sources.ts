import { said, type SourceAnswer } from '../parts/api-answers.ts';
import type { ManageView } from '../parts/manage-page.ts';

/** Names of the sources that people publish to. The API tells them only to those who manage sources; others get none. */
export async function managedSources({ api, roles }: ManageView): Promise<readonly string[]> {
  if (!roles.includes('manageSources')) return [];
  const { sources = [] } = said<{ readonly sources?: readonly SourceAnswer[] }>(
    await api({ path: '/v1/sources' }),
  );
  return sources.flatMap(({ name, type }) => (type === 'managed' ? [name] : []));
}
