import { type NotificationMessage, writeNotification } from '@portolan/mcp-protocol';

/** Cancellation of a request, whose id `ServerLink` replaces. */
export const CANCELLED: NotificationMessage = {
  kind: 'notification',
  text: writeNotification('notifications/cancelled', '{"requestId":0}'),
  method: 'notifications/cancelled',
  params: undefined,
};
