import { type HttpBackend, joinAddress, type ServerBackend } from '@portolan/plugin-api';

/** Where the stream of a session is opened, and where its messages are posted. */
export const EVENTS_PATH = '/sse';

/** Where streamable HTTP is served. */
export const STREAMABLE_PATH = '/mcp';

/** Returns the path at which clients reach a server. */
export function clientPathOf(backend: ServerBackend): string {
  if (backend.carries === 'messages') return backend.mode === 'sse' ? EVENTS_PATH : STREAMABLE_PATH;
  const { pathname } = endpointOf(backend);
  const isNamed = !backend.isRemote && backend.endpoint !== undefined;
  if (backend.hidesPath !== true && (isNamed || pathname !== '/')) return pathname;
  return backend.transport === 'sse' ? EVENTS_PATH : STREAMABLE_PATH;
}

/** Returns the address of a server that speaks HTTP, with path and query of its endpoint where they are known. */
export function endpointOf({ target, isRemote, endpoint }: HttpBackend): URL {
  return isRemote || endpoint === undefined ? target : joinAddress(target, endpoint);
}
