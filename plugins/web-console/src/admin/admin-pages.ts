import type { PageRoute } from '@portolan/plugin-api';
import type { ConsoleParts } from '../layout/view.ts';
import { auditPage } from './audit/audit-page.ts';
import { entryPages } from './entries/entry-pages.ts';
import { findEntryPage } from './entries/find-entry-page.ts';
import { explainPages } from './explain/explain-pages.ts';
import { entryListPage } from './parts/entry-list-page.ts';
import { removePages } from './parts/remove-pages.ts';
import { publishPages } from './publish/publish-pages.ts';
import { changeRegistryPages } from './registries/change-registry-pages.ts';
import { listRegistriesPage, registryPage } from './registries/registry-pages.ts';
import { ALL_REGISTRIES, registryInApi, registryPath } from './registries/registry-paths.ts';
import { usedBy } from './sources/used-by.ts';
import { editSourcePages } from './sources/edit-source-pages.ts';
import { listSourcesPage } from './sources/list-sources-page.ts';
import { newSourcePages } from './sources/new-source-pages.ts';
import { sourcePage } from './sources/source-page.ts';
import { ALL_SOURCES, sourceInApi, sourcePath } from './sources/source-paths.ts';
import { syncSource } from './sources/sync-source.ts';

const SOURCE = {
  what: 'source',
  parameter: 'sourceName',
  pageOf: sourcePath,
  inApi: sourceInApi,
  list: ALL_SOURCES,
  consequence: 'Its entries are removed with it.',
  obstacle: usedBy,
} as const;

const REGISTRY = {
  what: 'registry',
  parameter: 'registryName',
  pageOf: registryPath,
  inApi: registryInApi,
  list: ALL_REGISTRIES,
  consequence: 'Nothing can be read at its address any more. Its sources and their entries stay.',
} as const;

export function adminPages(parts: ConsoleParts): readonly PageRoute[] {
  return [
    listSourcesPage(parts),
    sourcePage(parts),
    ...newSourcePages(parts),
    ...editSourcePages(parts),
    ...removePages(parts, { ...SOURCE, path: '/manage/sources/{sourceName}/remove' }),
    syncSource(parts),
    entryListPage(parts, { ...SOURCE, path: '/manage/sources/{sourceName}/entries' }),
    listRegistriesPage(parts),
    registryPage(parts),
    ...changeRegistryPages(parts),
    ...removePages(parts, { ...REGISTRY, path: '/manage/registries/{registryName}/remove' }),
    entryListPage(parts, { ...REGISTRY, path: '/manage/registries/{registryName}/entries' }),
    findEntryPage(parts),
    ...entryPages(parts),
    ...publishPages(parts),
    ...explainPages(parts),
    auditPage(parts),
  ];
}
