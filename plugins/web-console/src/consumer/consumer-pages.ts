import type { PageRoute } from '@portolan/plugin-api';
import { EntryIndexes } from '../responses/entry-index.ts';
import type { ConsoleParts } from '../layout/view.ts';
import { entryPage } from './entry-page.ts';
import { homePage } from './home-page.ts';
import { registryPage } from './registry-page.ts';
import { searchPage } from './search-page.ts';

export function consumerPages(parts: ConsoleParts): readonly PageRoute[] {
  const indexes = new EntryIndexes();
  return [
    homePage(parts, indexes),
    searchPage(parts, indexes),
    registryPage(parts, indexes),
    entryPage(parts),
  ];
}
