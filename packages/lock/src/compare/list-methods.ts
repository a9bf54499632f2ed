import type { LISTS } from './baseline.ts';
import type { ListKind } from './difference.ts';

/** List of a server whose items a lock file contains. */
export interface ListMethod {
  readonly method: string;
  readonly kind: ListKind;
  /** Member of definitions that holds the items. */
  readonly list: (typeof LISTS)[ListKind];
  /** Capability of a server that has the list. */
  readonly capability: string;
  /** Member of the result that holds the items. */
  readonly items: string;
}

export const LIST_METHODS: readonly ListMethod[] = [
  { method: 'tools/list', kind: 'tool', list: 'tools', capability: 'tools', items: 'tools' },
  { method: 'prompts/list', kind: 'prompt', list: 'prompts', capability: 'prompts', items: 'prompts' },
  {
    method: 'resources/templates/list',
    kind: 'template',
    list: 'templates',
    capability: 'resources',
    items: 'resourceTemplates',
  },
];

/** Returns the list that a method requests; undefined for any other method. */
export function listMethodOf(method: string): ListMethod | undefined {
  return LIST_METHODS.find((row) => row.method === method);
}
