import { isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { mcpNameUnknown, type NamedOffer } from './mcp-errors.ts';
import type { OpenServer } from './open-server.ts';

/**
 * Returns what a server lists, which serves for suggestions and schemas only: nothing when the
 * caller may not list. Throws every other error of `list`.
 */
export async function listIfAllowed<Item>(
  server: OpenServer,
  list: (server: OpenServer) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  try {
    return await list(server);
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

/**
 * Requests what the server does not list for this caller: policies may hide it, and the server
 * may have it all the same. Throws ERR_NAME_UNKNOWN when the server refuses the request, and
 * ERR_MCP_DENIED when a policy does.
 */
export async function tryUnlisted<Answer>(offer: NamedOffer, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (isRefusal(error) && error.code === 'ERR_MCP_ANSWER') throw mcpNameUnknown(offer, error.message);
    throw error;
  }
}

function isRefusal(error: unknown): error is PortolanError {
  return isPortolanError(error) && (error.code === 'ERR_MCP_ANSWER' || error.code === 'ERR_MCP_DENIED');
}
