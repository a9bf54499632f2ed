import { isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { mcpNameUnknown, type NamedOffer } from './mcp-errors.ts';
import type { OpenServer } from './open-server.ts';

/**
 * Returns the result of `list`, which only serves suggestions and schemas; an empty list if the caller may
 * not list. Throws every other error.
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
 * Sends a request for a tool or prompt that the server does not list for this caller; policies may hide it
 * from the list only. Throws ERR_NAME_UNKNOWN when the server refuses the request, and ERR_MCP_DENIED when a
 * policy does.
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
