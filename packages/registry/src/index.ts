export type {
  Catalog,
  EntryFilter,
  ListQuery,
  PublishedRegistry,
  ReadScope,
  RegistryReader,
  RowKey,
  VersionPage,
  VersionRow,
  VisibleClasses,
} from './read/registry-reader.ts';
