import type { DriftGuard } from '@portolan/lock';
import type { PlacedProxyMiddleware } from '@portolan/proxy';

const LIST_CHANGES: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
]);

/**
 * Returns a guard as middleware. It judges calls after middleware of earlier slots has changed them. Responses pass the
 * slots in reverse, so it judges them before middleware of earlier slots, such as tool filters, changes them. It calls
 * `listChanged` when the server announces a changed list.
 */
export function guardMiddleware(
  guard: DriftGuard,
  listChanged: () => void,
): readonly PlacedProxyMiddleware[] {
  return [
    {
      name: 'drift-calls',
      placed: 'authorize',
      instance: { onMessage: (message, exchange) => guard.judgeMessage(message, exchange) },
    },
    {
      name: 'drift-responses',
      placed: 'filter',
      instance: {
        onResponse: (message, exchange) => {
          if (message.kind === 'notification' && LIST_CHANGES.has(message.method)) listChanged();
          return guard.judgeResponse(message, exchange);
        },
      },
    },
  ];
}
