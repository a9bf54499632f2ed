import {
  type CurrentDefinitions,
  type CurrentServer,
  LIST_METHODS,
  type ListMethod,
  readServer,
} from '@portolan/lock';
import { connectHttp, readHttpFault } from '@portolan/mcp-client';
import {
  DISCOVER,
  isJsonObject,
  type JsonRecord,
  memberOf,
  ownGreeting,
  ownParams,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import { isPortolanError } from '@portolan/plugin-api';
import { required, type Supervision } from '../supervision.ts';
import { definitionsNeedLogin, definitionsUnreadable } from './definitions-errors.ts';
import { DefinitionsSession, errorTextOf } from './definitions-session.ts';
import { sendOwnRequests } from './own-request.ts';
import { readList } from './read-list.ts';

/** Maximum milliseconds for reading all definitions of a server. */
const MAX_READ_MS = 60_000;
/** Maximum bytes of one response of a server with definitions. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/**
 * Reads the definitions of a workload's server through its own proxy, before any policy changes them: its response to
 * `initialize` or `server/discover`, and all pages of its tools, prompts and templates. A list that the server does
 * not have is empty. Throws ERR_DEFINITIONS_UNREADABLE, also for a server that requires the login of each caller.
 */
export async function readDefinitions(
  work: Pick<Supervision, 'config' | 'context' | 'proxy' | 'ownRequests' | 'reads'>,
  signal: AbortSignal,
): Promise<CurrentDefinitions> {
  const { config, context } = work;
  const url = new URL(required(work.proxy, 'proxy').url);
  const late = AbortSignal.timeout(MAX_READ_MS);
  const ending = AbortSignal.any([signal, late]);
  const isSse = config.proxy_mode === 'sse' || config.transport === 'sse';
  const connection = await connectHttp({
    url,
    transport: isSse ? 'sse' : 'streamable-http',
    name: 'its proxy',
    version: context.version,
    request: sendOwnRequests({
      ownRequests: required(work.ownRequests, 'ownRequests'),
      endpointPrefix: config.endpoint_prefix,
    }),
    limits: { messageBytes: MAX_RESPONSE_BYTES },
  })(signal);
  const close = (): void => void connection.close();
  ending.addEventListener('abort', close, { once: true });
  // Without it, an idle workload would respond with what was approved, which is then compared with itself.
  work.reads = (work.reads ?? 0) + 1;
  try {
    return await readAll(new DefinitionsSession(connection), config.name, context.version);
  } catch (error) {
    signal.throwIfAborted();
    if (isPortolanError(error)) throw error;
    const why = late.aborted
      ? `it took longer than ${MAX_READ_MS / 1000} s`
      : error instanceof Error
        ? error.message
        : String(error);
    throw definitionsUnreadable(config.name, why, error);
  } finally {
    work.reads -= 1;
    ending.removeEventListener('abort', close);
    await connection.close();
  }
}

async function readAll(
  session: DefinitionsSession,
  name: string,
  version: string,
): Promise<CurrentDefinitions> {
  const { server, params } = await greetServer(session, name, version);
  const lists: Partial<Record<ListMethod['list'], string>> = {};
  for (const row of LIST_METHODS)
    lists[row.list] = hasCapability(server, row.capability) ? await readList(session, row, params) : '[]';
  return { server, ...lists };
}

interface GreetedServer {
  readonly server: CurrentServer;
  /** Parameters of each further request. */
  readonly params: JsonRecord;
}

/** Sends `initialize`, and `server/discover` to a server that has no handshake. */
async function greetServer(
  session: DefinitionsSession,
  name: string,
  version: string,
): Promise<GreetedServer> {
  const greeted = await session.request('initialize', ownGreeting(version));
  if (!greeted.isError) {
    await session.notify('notifications/initialized');
    // The newest revision of the server with a handshake, because the request names the newest known one.
    const { result } = greeted;
    const revision = isJsonObject(result) ? memberOf(result, 'protocolVersion') : undefined;
    const server = serverOf(greeted, 'initialize');
    return {
      server: typeof revision === 'string' ? { ...server, revisions: [revision] } : server,
      params: {},
    };
  }
  requireNoLogin(name, greeted);
  const discovered = await session.request(DISCOVER, ownParams(version));
  requireNoLogin(name, discovered);
  if (discovered.isError)
    throw new Error(`it responded to initialize with an error: ${errorTextOf(greeted)}`);
  return { server: serverOf(discovered, DISCOVER), params: ownParams(version) };
}

function requireNoLogin(name: string, response: ResponseMessage): void {
  const reason = readHttpFault(response)?.reason;
  if (reason === 'unauthorized' || reason === 'forbidden') throw definitionsNeedLogin(name);
}

function serverOf({ result }: ResponseMessage, method: string): CurrentServer {
  const server = readServer(result);
  if (server === undefined) throw new Error(`its response to ${method} is not an object`);
  return server;
}

function hasCapability({ capabilities }: CurrentServer, name: string): boolean {
  const value = isJsonObject(capabilities) ? memberOf(capabilities, name) : undefined;
  return value !== undefined && value !== null && value !== false;
}
