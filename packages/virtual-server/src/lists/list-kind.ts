/** Properties of one of the four lists of a server. */
export interface ListKind {
  readonly method: string;
  /** Member of the result that has the items. */
  readonly items: 'tools' | 'prompts' | 'resources' | 'resourceTemplates';
  /** Member of an item that identifies it. */
  readonly id: 'name' | 'uri' | 'uriTemplate';
  /** Capability that a server with this list declares. */
  readonly capability: 'tools' | 'prompts' | 'resources';
  readonly changed: string;
}

export const LIST_KINDS: readonly ListKind[] = [
  {
    method: 'tools/list',
    items: 'tools',
    id: 'name',
    capability: 'tools',
    changed: 'notifications/tools/list_changed',
  },
  {
    method: 'prompts/list',
    items: 'prompts',
    id: 'name',
    capability: 'prompts',
    changed: 'notifications/prompts/list_changed',
  },
  {
    method: 'resources/list',
    items: 'resources',
    id: 'uri',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
  {
    method: 'resources/templates/list',
    items: 'resourceTemplates',
    id: 'uriTemplate',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
];

export function listKindOf(method: string): ListKind | undefined {
  return LIST_KINDS.find((kind) => kind.method === method);
}
