import { isJsonObject, type MessageChange } from '@portolan/plugin-api';

/** What a client may be allowed to hear of. */
export interface HeardOf {
  resource(uri: string): boolean;
  task(id: string): boolean;
}

const TOGGLES = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'];

/**
 * What of `subscriptions/listen` is taken out: resources that the caller may not
 * read, tasks that are not theirs, and kinds that no policy knows of. The server's
 * acknowledgement tells the client what is left (mcp-protocol-eras.md 3.5).
 */
export function narrowListen(
  params: Readonly<Record<string, unknown>> | undefined,
  may: HeardOf,
): readonly MessageChange[] {
  const filter = params?.['notifications'];
  if (!isJsonObject(filter)) return [];
  return Object.entries(filter).flatMap(([name, value]): MessageChange[] => {
    const path = ['params', 'notifications', name];
    if (TOGGLES.includes(name) && typeof value === 'boolean') return [];
    const isAllowed = ALLOWED_IN.get(name);
    if (isAllowed === undefined || !Array.isArray(value)) return [{ path, json: undefined }];
    return value.flatMap((item: unknown, at): MessageChange[] =>
      typeof item === 'string' && item.isWellFormed() && isAllowed(may, item)
        ? []
        : [{ path: [...path, at], json: undefined }],
    );
  });
}

const ALLOWED_IN = new Map<string, (may: HeardOf, item: string) => boolean>([
  ['resourceSubscriptions', (may, uri) => may.resource(uri)],
  ['taskIds', (may, id) => may.task(id)],
]);
