import { type HttpBackend, joinAddress, type ServerBackend } from '@portolan/plugin-api';

export const EVENTS_PATH = '/sse';

export const STREAMABLE_PATH = '/mcp';

export function clientPathOf(backend: ServerBackend): string {
  if (backend.carries === 'messages') return backend.mode === 'sse' ? EVENTS_PATH : STREAMABLE_PATH;
  const { pathname } = endpointOf(backend);
  const isNamed = !backend.isRemote && backend.endpoint !== undefined;
  if (backend.hidesPath !== true && (isNamed || pathname !== '/')) return pathname;
  return backend.transport === 'sse' ? EVENTS_PATH : STREAMABLE_PATH;
}

/** Returns the address of the server's endpoint, with path and query if they are known. */
export function endpointOf({ target, isRemote, endpoint }: HttpBackend): URL {
  return isRemote || endpoint === undefined ? target : joinAddress(target, endpoint);
}
