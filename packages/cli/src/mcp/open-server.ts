import { setTimeout as pass } from 'node:timers/promises';
import type {
  Client,
  ElicitRequestFormParams,
  Progress,
  RequestOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { OpenFetch } from '@portolan/plugin-api';
import type { WorkloadContext } from '@portolan/workload';
import { memberOf } from '@portolan/run-spec';
import { printable } from '../terminal/printable.ts';
import { ResponseDeadline } from './response-deadline.ts';
import type { FormResult } from './ask-form.ts';
import type { McpServer } from './find-server.ts';
import { mcpFault, noteChallenge } from './mcp-fault.ts';
import { mcpTimeout } from './mcp-errors.ts';
import { MIN_RETRY_MS, revisionAfter, sendPatiently } from './retry-request.ts';

/** Receives what a connection to a server shows to the user. */
export interface McpObserver {
  readonly progress: (text: string) => void;
  /** Prints permanent lines. */
  readonly tell: (lines: readonly string[]) => void;
  readonly tellsLogs: boolean;
  /** Asks the user to fill in a form; undefined without a terminal. */
  readonly askForm:
    | ((server: string, form: ElicitRequestFormParams, signal: AbortSignal) => Promise<FormResult>)
    | undefined;
}

export interface OpenServerOptions {
  readonly version: string;
  readonly timeoutMs: number;
  /** Additional CA certificates, as PEM text. */
  readonly ca: string | undefined;
  readonly observer: McpObserver;
}

/** An open connection to an MCP server. The caller closes it. */
export interface OpenServer {
  readonly label: string;
  /** Sends a request with the command's timeout and progress output. Throws the errors of `mcpFault`. */
  ask<Answer>(question: (client: Client, options: RequestOptions) => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

interface Connection {
  readonly client: Client;
  readonly transport: SSEClientTransport | StreamableHTTPClientTransport;
}

/**
 * Timeout that disables the library's own one per request. `ResponseDeadline` measures the time since the last
 * message instead.
 */
const NO_LIMIT_MS = 2 ** 31 - 1;

const END_MS = 2000;

const METHOD_NOT_FOUND = -32601;

/**
 * Connects to a server: by `server/discover` if it supports that, else by `initialize`. Tries other protocol
 * revisions when the server refuses the newest. Throws ERR_MCP_UNREACHABLE, ERR_MCP_UNAUTHORIZED and
 * ERR_MCP_ANSWER.
 */
export async function openServer(
  server: McpServer,
  options: OpenServerOptions,
  { openFetch, environment }: Pick<WorkloadContext, 'openFetch' | 'environment'>,
  signal: AbortSignal,
): Promise<OpenServer> {
  const sdk = await import('@modelcontextprotocol/client'); // slow to load
  const { ca } = options;
  // The operator names the address, so it may be in a private network.
  const opened: OpenFetch = await openFetch({
    allowPrivateAddresses: true,
    environment,
    ...(ca === undefined ? {} : { ca }),
  });
  const connected = new ConnectedServer({ server, options, sdk, opened, signal });
  try {
    await connected.connect();
  } catch (error) {
    await connected.drop();
    throw error;
  }
  return connected;
}

interface ServerParts {
  readonly server: McpServer;
  readonly options: OpenServerOptions;
  readonly sdk: typeof import('@modelcontextprotocol/client');
  readonly opened: OpenFetch;
  readonly signal: AbortSignal;
}

class ConnectedServer implements OpenServer {
  readonly #parts: ServerParts;
  #connection: Connection;
  #deadline: ResponseDeadline | undefined;
  #isOver = false;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#connection = this.#makeConnection();
  }

  get label(): string {
    return this.#parts.server.label;
  }

  async connect(): Promise<void> {
    await this.ask(async (_client, { signal: limit, timeout }) => {
      const limits = {
        ...(limit === undefined ? {} : { signal: limit }),
        ...(timeout === undefined ? {} : { timeout }),
      };
      const tried: string[] = [];
      const end = performance.now() + this.#parts.options.timeoutMs;
      for (let first: unknown; ; ) {
        try {
          return await this.#connection.client.connect(this.#connection.transport, limits);
        } catch (error) {
          if (await this.#waits(error, end, limit)) {
            void this.#connection.client.close().catch(() => undefined);
            this.#connection = this.#makeConnection();
            continue;
          }
          first ??= error;
          const next = await revisionAfter(error, tried);
          if (next === undefined || limit?.aborted === true) throw first;
          this.#connection = this.#makeConnection(next);
        }
      }
    });
  }

  /**
   * Waits if an error of the handshake asks for a retry before `end`, as that of a workload over HTTP+SSE does
   * while its server starts. Returns whether it waited.
   */
  async #waits(error: unknown, end: number, limit: AbortSignal | undefined): Promise<boolean> {
    const data = error instanceof Error && 'data' in error ? error.data : undefined;
    const seconds = memberOf(data, 'retryAfterSeconds');
    if (typeof seconds !== 'number') return false;
    const delayMs = Math.max(seconds * 1000, MIN_RETRY_MS);
    if (performance.now() + delayMs > end) return false;
    const { signal } = this.#parts;
    await pass(delayMs, undefined, {
      signal: limit === undefined ? signal : AbortSignal.any([signal, limit]),
    });
    return true;
  }

  async ask<Answer>(question: (client: Client, options: RequestOptions) => Promise<Answer>): Promise<Answer> {
    const { server, options, signal } = this.#parts;
    const { timeoutMs, observer } = options;
    const own = new ResponseDeadline(timeoutMs, () => mcpTimeout(server.label, timeoutMs));
    this.#deadline = own;
    const either = AbortSignal.any([signal, own.signal]);
    try {
      const result = question(this.#connection.client, {
        signal: either,
        timeout: NO_LIMIT_MS,
        onprogress: (progress) => {
          own.heard();
          if (!this.#isOver) observer.progress(progressText(progress));
        },
      });
      // Some functions of the library ignore the signal, so the race ends them.
      return await Promise.race([result, rejectsWith(either)]);
    } catch (error) {
      signal.throwIfAborted();
      throw own.signal.aborted ? own.signal.reason : mcpFault(error, server);
    } finally {
      own.end();
    }
  }

  async close(): Promise<void> {
    // Ignore a server that does not end the session, or not in time.
    const { transport } = this.#connection;
    if ('terminateSession' in transport)
      await orLate(
        transport.terminateSession().catch(() => undefined),
        END_MS,
      );
    await this.drop();
  }

  /** Closes the connections without ending the session. */
  async drop(): Promise<void> {
    this.#isOver = true;
    // Closing also rejects the library's pending requests.
    void this.#connection.client.close().catch(() => undefined);
    await this.#parts.opened.close();
  }

  /**
   * Creates the connection for one attempt. Without `revision`, the library detects the revision of the
   * server.
   */
  #makeConnection(revision?: string): Connection {
    const { server, options, sdk, opened } = this.#parts;
    const { version, observer } = options;
    const client = new sdk.Client(
      { name: 'portolan', version },
      {
        capabilities: observer.askForm === undefined ? {} : { elicitation: { form: {} } },
        // HTTP+SSE accepts no request before its handshake, so the library cannot detect the revision.
        versionNegotiation: {
          mode: server.transport === 'sse' || revision !== undefined ? 'legacy' : 'auto',
        },
        ...(revision === undefined ? {} : { supportedProtocolVersions: [revision] }),
        defaultCacheTtlMs: 0,
      },
    );
    this.#answerForms(client);
    this.#answerOthers(client);
    const fetchNoted: typeof opened.fetch = async (...request) => {
      const response = await sendPatiently(opened.fetch, request, this.#parts);
      if (response.status === 401 || response.status === 403) noteChallenge(server, response);
      return response;
    };
    const settings = { fetch: fetchNoted, requestInit: { headers: { ...server.headers } } };
    const transport =
      server.transport === 'sse'
        ? new sdk.SSEClientTransport(server.url, settings)
        : new sdk.StreamableHTTPClientTransport(server.url, settings);
    return { client, transport };
  }

  #answerForms(client: Client): void {
    const { server, options, signal } = this.#parts;
    const { askForm } = options.observer;
    if (askForm === undefined) return;
    client.setRequestHandler('elicitation/create', async ({ params }, context) => {
      // SAFETY: the client does not declare the URL mode, so the library refuses such a request.
      const form = params as ElicitRequestFormParams;
      const asking = async (): Promise<FormResult> =>
        await askForm(server.label, form, AbortSignal.any([signal, context.mcpReq.signal]));
      return this.#deadline === undefined ? await asking() : await this.#deadline.during(asking);
    });
  }

  /** Refuses all other requests from the server, and prints its log messages. */
  #answerOthers(client: Client): void {
    const { server, options, sdk } = this.#parts;
    const { tell, tellsLogs } = options.observer;
    client.fallbackRequestHandler = async ({ method }) => {
      if (method === 'sampling/createMessage') {
        tell([
          `${server.label} requested a model completion (sampling), which this command does not support`,
        ]);
      }
      throw new sdk.ProtocolError(METHOD_NOT_FOUND, `The command mcp does not support ${printable(method)}`);
    };
    if (!tellsLogs) return;
    client.setNotificationHandler('notifications/message', ({ params }) => {
      const data = typeof params.data === 'string' ? params.data : JSON.stringify(params.data);
      tell([printable(`${server.label}: ${params.level}: ${data}`)]);
    });
  }
}

function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return printable(message === undefined ? count : `${count}: ${message}`);
}

async function rejectsWith(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

async function orLate(work: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
