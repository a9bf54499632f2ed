import type { AccessRecord } from '@portolan/plugin-api';

export interface AuditEvent {
  readonly group: string;
  readonly meaning: string;
  /** Whether events of this type are written only when `eventTypes` lists the type. */
  readonly onlyWhenNamed?: true;
}

/**
 * Names and types of all audit events. Names are stable. `audit.lost`, which reports on the log itself,
 * cannot be excluded.
 */
export const AUDIT_EVENTS = {
  'server.list': { group: 'Servers', meaning: 'The servers of a registry.' },
  'server.versions.list': { group: 'Servers', meaning: 'The versions of one server.' },
  'server.version.read': { group: 'Servers', meaning: 'One version of a server, or its latest.' },
  'server.changes.read': {
    group: 'Servers',
    meaning: 'The differences between the tools, prompts and templates of two versions.',
  },
  'skill.list': { group: 'Skills', meaning: 'The skills of a registry.' },
  'skill.read': { group: 'Skills', meaning: 'The latest version of one skill.' },
  'skill.versions.list': { group: 'Skills', meaning: 'The versions of one skill.' },
  'skill.version.read': { group: 'Skills', meaning: 'One version of a skill.' },
  'plugin.list': { group: 'Plugins', meaning: 'The plugins of a registry.' },
  'plugin.read': { group: 'Plugins', meaning: 'The latest version of one plugin.' },
  'plugin.versions.list': { group: 'Plugins', meaning: 'The versions of one plugin.' },
  'plugin.version.read': { group: 'Plugins', meaning: 'One version of a plugin.' },
  'source.list': { group: 'Sources', meaning: 'All sources.' },
  'source.kinds.list': { group: 'Sources', meaning: 'The kinds that a source may be of.' },
  'source.read': { group: 'Sources', meaning: 'One source.' },
  'source.entries.list': { group: 'Sources', meaning: 'What one source holds.' },
  'source.create': { group: 'Sources', meaning: 'A new source; its PUT returned 201.' },
  'source.update': { group: 'Sources', meaning: 'A change of a source, also one that was refused.' },
  'source.delete': { group: 'Sources', meaning: 'The removal of a source.' },
  'source.sync': { group: 'Sources', meaning: 'A sync of one source, now.' },
  'registry.list': { group: 'Registries', meaning: 'All registries, for those who manage them.' },
  'registry.read': { group: 'Registries', meaning: 'One registry.' },
  'registry.entries.list': { group: 'Registries', meaning: 'What one registry holds.' },
  'registry.create': { group: 'Registries', meaning: 'A new registry; its PUT returned 201.' },
  'registry.update': { group: 'Registries', meaning: 'A change of a registry, also one that was refused.' },
  'registry.delete': { group: 'Registries', meaning: 'The removal of a registry.' },
  'registry.discover': { group: 'Registries', meaning: 'The registries that the caller may read.' },
  'entry.publish': { group: 'Entries', meaning: 'A version to be published.' },
  'entry.publish.dry_run': {
    group: 'Entries',
    meaning: 'A version whose publishing is only tried; nothing is kept.',
  },
  'entry.validate': { group: 'Entries', meaning: 'A document to be checked; nothing is written.' },
  'entry.read': { group: 'Entries', meaning: 'An entry of a managed source, for those who manage it.' },
  'entry.delete': { group: 'Entries', meaning: 'The removal of a version.' },
  'entry.status.update': { group: 'Entries', meaning: 'To deprecate, soft-delete or restore.' },
  'entry.claims.read': { group: 'Entries', meaning: 'The claims of an entry.' },
  'entry.claims.update': { group: 'Entries', meaning: 'A change of the claims of an entry.' },
  'user.info': { group: 'Callers', meaning: 'Who the caller is.' },
  'authz.explain': { group: 'Callers', meaning: 'Why access is granted or refused.' },
  'audit.list': { group: 'Callers', meaning: 'The last requests, as a replica remembers them.' },
  'auth.unauthenticated': { group: 'Callers', meaning: 'Any request that got a 401.' },
  operation: {
    group: 'Other',
    meaning: 'Health, readiness, version, description of the API.',
    onlyWhenNamed: true,
  },
  'request.preflight': {
    group: 'Other',
    meaning: 'OPTIONS, which browsers send before a request of another origin.',
    onlyWhenNamed: true,
  },
  'request.unknown': {
    group: 'Other',
    meaning: 'No endpoint took the request: an unknown path or method, or a path no server should pass on.',
  },
} as const satisfies Readonly<Record<string, AuditEvent>>;

export type AuditEventType = keyof typeof AUDIT_EVENTS;

export const AUDIT_EVENT_TYPES = Object.keys(AUDIT_EVENTS) as readonly AuditEventType[];

export const LOST_EVENT = 'audit.lost';

/**
 * Returns the type of an event: `auth.unauthenticated` for every 401, otherwise the type that the host names,
 * otherwise one derived from the method.
 */
export function eventTypeOf({ status, event, method }: AccessRecord): string {
  if (status === 401) return 'auth.unauthenticated';
  if (event !== undefined) return event;
  return method === 'OPTIONS' && status < 400 ? 'request.preflight' : 'request.unknown';
}

export interface EventSelection {
  /** Types of events to write. Default: all except those with `onlyWhenNamed`. */
  readonly eventTypes?: readonly string[];
  /** Types of events not to write. Takes precedence over `eventTypes`. */
  readonly excludeEventTypes?: readonly string[];
}

/**
 * Returns a function that says whether events of a type are written. Unknown types are written, unless a list
 * excludes them.
 */
export function selectEvents(selection: EventSelection): (type: string) => boolean {
  const { eventTypes, excludeEventTypes = [] } = selection;
  const included = eventTypes === undefined ? undefined : new Set(eventTypes);
  const events: Readonly<Record<string, AuditEvent>> = AUDIT_EVENTS;
  const excluded = new Set([
    ...excludeEventTypes,
    ...(included === undefined ? AUDIT_EVENT_TYPES.filter((type) => events[type]?.onlyWhenNamed) : []),
  ]);
  return (type) => !excluded.has(type) && (included === undefined || included.has(type));
}
