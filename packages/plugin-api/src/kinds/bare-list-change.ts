import type { NotificationView } from './proxy-exchange.ts';
import type { ServerVerdict } from './proxy-middleware.ts';

const LIST_CHANGE = /^notifications\/.*\/list_changed$/i;

/**
 * Takes everything but `_meta` out of a notification that a list has changed:
 * whoever wants to know asks for the list, and that answer is judged. Undefined
 * where there is nothing to take, and for other notifications.
 */
export function bareListChange({ method, params = {} }: NotificationView): ServerVerdict | undefined {
  if (!LIST_CHANGE.test(method)) return undefined;
  const change = Object.keys(params)
    .filter((name) => name !== '_meta')
    .map((name) => ({ path: ['params', name], json: undefined }));
  return change.length === 0 ? undefined : { change };
}
