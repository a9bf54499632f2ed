import { type ClientVerdict, isJsonObject, type MessageChange } from '@portolan/plugin-api';

export interface HeardOf {
  resource(uri: string): boolean;
  task(id: string): boolean;
}

/**
 * Maximum number of kinds, resources and tasks of one `subscriptions/listen`. Each needs a decision: 500 take
 * about 45 ms of CPU with Cedar.
 */
export const MAX_LISTENED_ITEMS = 500;

/** Maximum length of the names of all resources and tasks of one `subscriptions/listen`. */
const MAX_LISTENED_CHARACTERS = 128 * 1024;

const TOGGLES = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'];

/**
 * Removes resources that the caller may not read, tasks of other callers, and kinds that no policy covers.
 * The server's acknowledgement lists what is left.
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

export function refuseTooMany(
  params: Readonly<Record<string, unknown>> | undefined,
): ClientVerdict | undefined {
  const filter = params?.['notifications'];
  if (!isJsonObject(filter)) return undefined;
  const items: readonly unknown[] = Object.values(filter).filter(Array.isArray).flat();
  const count = items.length + Object.keys(filter).length;
  if (count > MAX_LISTENED_ITEMS) {
    return refusedFor(`${count} kinds, resources and tasks; expected at most ${MAX_LISTENED_ITEMS}`);
  }
  const characters = items.reduce<number>(
    (sum, item) => sum + (typeof item === 'string' ? item.length : 0),
    0,
  );
  if (characters <= MAX_LISTENED_CHARACTERS) return undefined;
  return refusedFor(
    `${characters} characters in names of resources and tasks; expected at most ${MAX_LISTENED_CHARACTERS}`,
  );
}

function refusedFor(match: string): ClientVerdict {
  const message = `The filter has ${match}. Open several subscriptions.`;
  return { refuse: { message, status: 400, code: -32_602 } };
}

const ALLOWED_IN = new Map<string, (may: HeardOf, item: string) => boolean>([
  ['resourceSubscriptions', (may, uri) => may.resource(uri)],
  ['taskIds', (may, id) => may.task(id)],
]);
