import { namesInPointer } from '@portolan/entry-format';
import { isJsonObject, memberOf } from '@portolan/plugin-api';
import { type CurrentDefinitions, LISTS } from './baseline.ts';
import type { Difference, ListKind } from './difference.ts';
import type { LockedDefinitions } from './lock-definitions.ts';
import { readItems } from './read-items.ts';

/** Values before and after a change. A value is undefined if there is none, or if it is not known. */
export interface DifferenceValues {
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the definition, or the part of the server's response, that a difference is about. */
export function valuesOf(
  { kind, name }: Pick<Difference, 'kind' | 'name'>,
  previous: LockedDefinitions | undefined,
  current: CurrentDefinitions,
): DifferenceValues {
  const { workload } = previous ?? {};
  switch (kind) {
    case 'tool':
    case 'prompt':
    case 'template':
      return { before: lockedItem(kind, name, previous), after: currentItem(kind, name, current) };
    case 'instructions':
    case 'capabilities':
      return { before: contentOf(workload?.server[kind], previous), after: current.server?.[kind] };
    case 'server':
      return { before: identityOf(workload?.server), after: identityOf(current.server) };
    case 'signer':
      return { before: workload?.signer, after: current.signer ?? undefined };
    case 'package':
    case 'image':
      return { before: workload?.resolved, after: current.resolved };
    default:
      return kind satisfies never;
  }
}

/** Returns the value at a JSON pointer (RFC 6901). Undefined if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  return namesInPointer(pointer).reduce<unknown>((at, name) => {
    if (Array.isArray(at)) return /^\d+$/.test(name) ? (at as readonly unknown[])[Number(name)] : undefined;
    return isJsonObject(at) ? memberOf(at, name) : undefined;
  }, value);
}

function lockedItem(kind: ListKind, name: string, previous: LockedDefinitions | undefined): unknown {
  return contentOf(previous?.workload[LISTS[kind]].get(name)?.digest, previous);
}

function currentItem(kind: ListKind, name: string, current: CurrentDefinitions): unknown {
  const list = current[LISTS[kind]];
  return list === undefined ? undefined : readItems(kind, list).find((one) => one.name === name)?.value;
}

function contentOf(digest: string | undefined, previous: LockedDefinitions | undefined): unknown {
  const json = digest === undefined ? undefined : previous?.contents.get(digest);
  return json === undefined ? undefined : JSON.parse(json);
}

interface Identity {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly revisions?: readonly string[] | undefined;
}

function identityOf(server: Identity | undefined): Identity | undefined {
  if (server === undefined) return undefined;
  const { name, version, revisions } = server;
  return { name, version, revisions };
}
