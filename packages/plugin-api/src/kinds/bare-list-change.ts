import type { NotificationView } from './proxy-exchange.ts';
import type { ServerVerdict } from './proxy-middleware.ts';

const LIST_CHANGE = /^notifications\/.*\/list_changed$/i;

/**
 * Returns the verdict that removes everything except `_meta` from a list-changed notification: clients then
 * request the list, which is filtered. Undefined when there is nothing to remove, and for other
 * notifications.
 */
export function bareListChange({ method, params = {} }: NotificationView): ServerVerdict | undefined {
  if (!LIST_CHANGE.test(method)) return undefined;
  const change = Object.keys(params)
    .filter((name) => name !== '_meta')
    .map((name) => ({ path: ['params', name], json: undefined }));
  return change.length === 0 ? undefined : { change };
}
