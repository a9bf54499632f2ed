import type { AccessTarget } from '@portolan/plugin-api';
import { joinName } from '../../parameters/join-name.ts';
import type { Route } from '../../request/route.ts';

const UNAUTHENTICATED = 'auth.unauthenticated';

/** Returns the event name of a request in the audit log; undefined without a route. */
export function eventOf(route: Route | undefined, status: number, isDryRun: boolean): string | undefined {
  if (status === 401) return UNAUTHENTICATED;
  if (isDryRun) return route?.eventWhenTried ?? route?.event;
  return status === 201 ? (route?.eventWhenCreated ?? route?.event) : route?.event;
}

const FIELDS: Readonly<Record<string, keyof AccessTarget>> = {
  registryName: 'registryName',
  serverName: 'resourceName',
  namespace: 'namespace',
  name: 'resourceName',
  sourceName: 'resourceName',
  entryType: 'entryType',
  entryName: 'resourceName',
  version: 'version',
};

const RESOURCE_TYPES: Readonly<Partial<Record<Route['tag'], NonNullable<AccessTarget['resourceType']>>>> = {
  servers: 'server',
  skills: 'skill',
  plugins: 'plugin',
  registries: 'registry',
  sources: 'source',
  entries: 'entry',
};

/** Returns what a request is about, from its path. Escapes a decoded slash in a name again. */
export function targetOf(route: Route | undefined, path: string): AccessTarget {
  const resourceType = route === undefined ? undefined : RESOURCE_TYPES[route.tag];
  if (route === undefined || resourceType === undefined) return {};
  const inputs = joinName(path).split('/');
  // An alias has its parameters at the same positions.
  const named = route.path.split('/').flatMap((segment, at): [keyof AccessTarget, string][] => {
    const field = FIELDS[/^\{(\w+)\}$/.exec(segment)?.[1] ?? ''];
    const text = inputs[at];
    return field === undefined || text === undefined || text === '' ? [] : [[field, text]];
  });
  const target: AccessTarget = { resourceType, ...Object.fromEntries(named) };
  const { registryName } = target;
  return resourceType === 'registry' && registryName !== undefined
    ? { ...target, resourceName: registryName }
    : target;
}
