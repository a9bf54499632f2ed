import type { Tool } from '@modelcontextprotocol/client';
import type { WorkloadContext } from '@portolan/workload';
import { findServer } from './find-server.ts';
import { listTools } from './list-offers.ts';
import { openServer } from './open-server.ts';

/** Timeout in milliseconds. A failure has no effect, because the list of tools is optional. */
const TIMEOUT_MS = 10_000;

/** Returns the tools of a running workload; undefined when they are unavailable for any reason. */
export async function toolsOfWorkload(
  name: string,
  ambientToken: string | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Tool[] | undefined> {
  const wish = {
    named: name,
    transport: 'auto',
    token: undefined,
    headers: [],
    allowInsecure: false,
  } as const;
  const observer = {
    progress: () => undefined,
    tell: () => undefined,
    tellsLogs: false,
    askForm: undefined,
  };
  try {
    const mcpServer = await findServer({ ...wish, ambientToken }, context);
    const options = { version: context.version, timeoutMs: TIMEOUT_MS, ca: undefined, observer };
    const server = await openServer(mcpServer, options, context, signal);
    try {
      return await listTools(server);
    } finally {
      await server.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    context.logger.debug({ err: error, workload: name }, 'the tools of a workload are not known');
    return undefined;
  }
}
