import type { EntryDemands, Grant, GrantKind } from '@portolan/run-spec';
import { printable } from '../printable.ts';

const HEADINGS: Readonly<Record<GrantKind, string>> = {
  mount: 'files',
  network: 'network',
  isolation: 'isolation',
  listen: 'listening',
  publish: 'ports',
  secret: 'secrets',
  variable: 'variables of this machine',
  read: 'files that are read',
  write: 'files that are written',
  build: 'builds',
  login: 'logins',
  connect: 'connections',
  send: 'data that is sent',
  trust: 'trust',
  plugin: 'plugins',
  setting: 'other settings',
};

/** Formats grants below a title, grouped by kind. */
export function formatGrants(
  title: string,
  grants: readonly Pick<Grant, 'kind' | 'line'>[],
): readonly string[] {
  const groups = Map.groupBy(grants, ({ kind }) => kind);
  return [
    printable(title),
    ...[...groups].flatMap(([kind, members]) => [
      `  ${HEADINGS[kind]}`,
      ...members.map(({ line }) => `    ${printable(line)}`),
    ]),
  ];
}

/**
 * Formats the grants that an entry needs, and those that `run` refuses. Returns no lines if the entry needs
 * none.
 */
export function formatDemands(title: string, { grants, refusals }: EntryDemands): readonly string[] {
  if (grants.length === 0 && refusals.length === 0) return [];
  return [
    ...formatGrants(title, grants),
    ...(refusals.length === 0 ? [] : ['  refused']),
    ...refusals.map(({ setting, found, because }) => `    ${printable(`${setting}: ${found}; ${because}`)}`),
  ];
}
