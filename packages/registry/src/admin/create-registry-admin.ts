import type { Store } from '../store/open-store.ts';
import type { AdminContext, RegistryAdminOptions } from './admin-context.ts';
import { deleteVersion } from './entries/delete-version.ts';
import { getEntryClaims, setEntryClaims } from './entries/entry-claims.ts';
import { getEntry } from './entries/get-entry.ts';
import { listRegistryEntries } from './entries/list-registry-entries.ts';
import { listSourceEntries } from './entries/list-source-entries.ts';
import { publish } from './entries/publish.ts';
import { deleteRegistry, getRegistry, listRegistries, putRegistry, refuseRegistry } from './registries.ts';
import type { RegistryAdmin } from './registry-admin.ts';
import { setStatus } from './entries/set-status.ts';
import { deleteSource, getSource, listSources, putSource, refuseSource, requestSync } from './sources.ts';
import { validate } from './entries/validate.ts';

export function createRegistryAdmin(store: Store, options: RegistryAdminOptions): RegistryAdmin {
  const around: AdminContext = { ...options, store };
  return {
    listSources: (actor) => listSources(around, actor),
    getSource: (actor, name) => getSource(around, actor, name),
    putSource: (actor, name, definition, how) => putSource(around, actor, name, definition, how),
    refuseSource: (actor, name, definition, how) => refuseSource(around, actor, name, definition, how),
    deleteSource: (actor, name, how) => deleteSource(around, actor, name, how),
    listSourceEntries: (actor, name, page) => listSourceEntries(around, actor, name, page),
    requestSync: (actor, name, how) => requestSync(around, actor, name, how),
    listRegistries: (actor) => listRegistries(around, actor),
    getRegistry: (actor, name) => getRegistry(around, actor, name),
    putRegistry: (actor, name, definition, how) => putRegistry(around, actor, name, definition, how),
    refuseRegistry: (actor, name, definition, how) => refuseRegistry(around, actor, name, definition, how),
    deleteRegistry: (actor, name, how) => deleteRegistry(around, actor, name, how),
    listRegistryEntries: (actor, name, page) => listRegistryEntries(around, actor, name, page),
    validate: (actor, type, document) => validate(around, actor, type, document),
    publish: (actor, publication, how) => publish(around, actor, publication, how),
    deleteVersion: (actor, entry, version, how) => deleteVersion(around, actor, entry, version, how),
    setStatus: (actor, entry, change, how) => setStatus(around, actor, entry, change, how),
    getEntry: (actor, entry, filter) => getEntry(around, actor, entry, filter),
    getEntryClaims: (actor, entry) => getEntryClaims(around, actor, entry),
    setEntryClaims: (actor, entry, claims, how) => setEntryClaims(around, actor, entry, claims, how),
  };
}
