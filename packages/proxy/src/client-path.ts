import type { ServerBackend } from '@portolan/plugin-api';
import { EVENTS_PATH } from './bridge/serve-events.ts';
import { STREAMABLE_PATH } from './bridge/serve-streamable.ts';

/** The path at which clients reach a server. */
export function clientPathOf(backend: ServerBackend): string {
  if (backend.carries === 'messages') return backend.mode === 'sse' ? EVENTS_PATH : STREAMABLE_PATH;
  if (backend.target.pathname !== '/') return backend.target.pathname;
  return backend.transport === 'sse' ? EVENTS_PATH : STREAMABLE_PATH;
}
