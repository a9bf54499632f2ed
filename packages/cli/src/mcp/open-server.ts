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
import { printable } from '../terminal/printable.ts';
import { AnswerDeadline } from './answer-deadline.ts';
import type { FormAnswer } from './ask-form.ts';
import type { McpServer } from './find-server.ts';
import { mcpFault, noteChallenge } from './mcp-fault.ts';
import { mcpTimeout } from './mcp-errors.ts';

/** What comes of a connection to a server, for whoever sits at the terminal. */
export interface McpObserver {
  /** How far a call has come. */
  readonly progress: (text: string) => void;
  /** Lines that stay. */
  readonly tell: (lines: readonly string[]) => void;
  /** Whether log messages of the server are told. */
  readonly tellsLogs: boolean;
  /** Asks a person what a server wants to know; undefined where nobody is there. */
  readonly askForm:
    | ((server: string, form: ElicitRequestFormParams, signal: AbortSignal) => Promise<FormAnswer>)
    | undefined;
}

export interface OpenServerOptions {
  readonly version: string;
  /** Most time without a word. */
  readonly timeoutMs: number;
  /** More authorities to trust, as PEM text. */
  readonly ca: string | undefined;
  readonly observer: McpObserver;
}

/** A server that is spoken to. Whoever opens it closes it. */
export interface OpenServer {
  readonly label: string;
  /** Asks something, with the time limit and progress of the command. Throws what `mcpFault` makes of it. */
  ask<Answer>(question: (client: Client, options: RequestOptions) => Promise<Answer>): Promise<Answer>;
  /** Ends the session, where there is one. */
  close(): Promise<void>;
}

interface Connection {
  readonly client: Client;
  readonly transport: SSEClientTransport | StreamableHTTPClientTransport;
}

/** The library has a limit for each request by itself; ours counts from the last word. */
const NO_LIMIT_MS = 2 ** 31 - 1;
const END_MS = 2000;
const METHOD_NOT_FOUND = -32601;

/**
 * Connects to a server: by `server/discover` where it has that, else by
 * `initialize`, with other revisions where a server refuses the newest. Throws ERR_MCP_UNREACHABLE, ERR_MCP_UNAUTHORIZED, ERR_MCP_ANSWER
 * and ERR_MCP_UNREACHABLE.
 */
export async function openServer(
  server: McpServer,
  options: OpenServerOptions,
  { openFetch, environment }: Pick<WorkloadContext, 'openFetch' | 'environment'>,
  signal: AbortSignal,
): Promise<OpenServer> {
  const sdk = await import('@modelcontextprotocol/client'); // takes long to load
  const { ca } = options;
  // The address is named by whoever runs the command, and may be one of their own network.
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
  /** Aborts when the command is told to stop. */
  readonly signal: AbortSignal;
}

class ConnectedServer implements OpenServer {
  readonly #parts: ServerParts;
  #connection: Connection;
  /** Time limit of the request that runs. */
  #deadline: AnswerDeadline | undefined;
  #isOver = false;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#connection = this.#makeConnection();
  }

  get label(): string {
    return this.#parts.server.label;
  }

  /** Completes the handshake, with other revisions where the server refuses one. */
  async connect(): Promise<void> {
    await this.ask(async (_client, { signal: limit, timeout }) => {
      const limits = {
        ...(limit === undefined ? {} : { signal: limit }),
        ...(timeout === undefined ? {} : { timeout }),
      };
      const tried: string[] = [];
      for (let first: unknown; ; ) {
        try {
          return await this.#connection.client.connect(this.#connection.transport, limits);
        } catch (error) {
          first ??= error;
          const next = await revisionAfter(error, tried);
          if (next === undefined || limit?.aborted === true) throw first;
          this.#connection = this.#makeConnection(next);
        }
      }
    });
  }

  async ask<Answer>(question: (client: Client, options: RequestOptions) => Promise<Answer>): Promise<Answer> {
    const { server, options, signal } = this.#parts;
    const { timeoutMs, observer } = options;
    const own = new AnswerDeadline(timeoutMs, () => mcpTimeout(server.label, timeoutMs));
    this.#deadline = own;
    const either = AbortSignal.any([signal, own.signal]);
    try {
      const answer = question(this.#connection.client, {
        signal: either,
        timeout: NO_LIMIT_MS,
        onprogress: (progress) => {
          own.heard();
          if (!this.#isOver) observer.progress(progressText(progress));
        },
      });
      // Not everything in the library listens to the signal.
      return await Promise.race([answer, rejectsWith(either)]);
    } catch (error) {
      signal.throwIfAborted();
      throw own.signal.aborted ? own.signal.reason : mcpFault(error, server);
    } finally {
      own.end();
    }
  }

  async close(): Promise<void> {
    // That a server does not end a session, or not in time, changes nothing for the command.
    const { transport } = this.#connection;
    if ('terminateSession' in transport)
      await orLate(
        transport.terminateSession().catch(() => undefined),
        END_MS,
      );
    await this.drop();
  }

  /** Closes the connections without a word to the server. */
  async drop(): Promise<void> {
    this.#isOver = true;
    // What the library still waits for ends with the connections.
    void this.#connection.client.close().catch(() => undefined);
    await this.#parts.opened.close();
  }

  /** Creates the connection for one attempt. Without `revision`, the library detects the revision of the server. */
  #makeConnection(revision?: string): Connection {
    const { server, options, sdk, opened } = this.#parts;
    const { version, observer } = options;
    const client = new sdk.Client(
      { name: 'portolan', version },
      {
        capabilities: observer.askForm === undefined ? {} : { elicitation: { form: {} } },
        // HTTP+SSE serves no request before its handshake, so the library cannot detect the revision.
        versionNegotiation: {
          mode: server.transport === 'sse' || revision !== undefined ? 'legacy' : 'auto',
        },
        ...(revision === undefined ? {} : { supportedProtocolVersions: [revision] }),
        // Each list is current, never cached.
        defaultCacheTtlMs: 0,
      },
    );
    this.#answerForms(client);
    this.#answerOthers(client);
    const fetchNoted: typeof opened.fetch = async (...request) => {
      const response = await opened.fetch(...request);
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

  /** Has a person answer the forms of the server. */
  #answerForms(client: Client): void {
    const { server, options, signal } = this.#parts;
    const { askForm } = options.observer;
    if (askForm === undefined) return;
    client.setRequestHandler('elicitation/create', async ({ params }, context) => {
      // SAFETY: the other mode is not declared, and the library refuses it.
      const form = params as ElicitRequestFormParams;
      const asking = async (): Promise<FormAnswer> =>
        await askForm(server.label, form, AbortSignal.any([signal, context.mcpReq.signal]));
      return this.#deadline === undefined ? await asking() : await this.#deadline.during(asking);
    });
  }

  /** Refuses other requests of the server, and shows its log messages. */
  #answerOthers(client: Client): void {
    const { server, options, sdk } = this.#parts;
    const { tell, tellsLogs } = options.observer;
    client.fallbackRequestHandler = async ({ method }) => {
      if (method === 'sampling/createMessage') {
        tell([
          `${server.label} requested a model completion (sampling), which this command does not support`,
        ]);
      }
      throw new sdk.ProtocolError(METHOD_NOT_FOUND, `The command mcp cannot answer ${printable(method)}`);
    };
    if (!tellsLogs) return;
    client.setNotificationHandler('notifications/message', ({ params }) => {
      const data = typeof params.data === 'string' ? params.data : JSON.stringify(params.data);
      tell([printable(`${server.label}: ${params.level}: ${data}`)]);
    });
  }
}

/**
 * Returns the revision to try after a server refused the handshake, and adds the refused one to `tried`. Returns
 * undefined for other faults, and when none is left.
 */
async function revisionAfter(error: unknown, tried: string[]): Promise<string | undefined> {
  if (!(error instanceof Error) || !isRefusal(error)) return undefined;
  const { NEWEST_LEGACY, otherRevision } = await import('@portolan/mcp-protocol'); // only a few servers need it
  if (tried.length === 0) tried.push(NEWEST_LEGACY);
  const next = otherRevision(error, tried);
  if (next !== undefined) tried.push(next);
  return next;
}

/** Returns whether a server refused the handshake: with a JSON-RPC error, whose code is a number, or with status 400. */
function isRefusal(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  const status = 'status' in error ? error.status : undefined;
  return status === undefined ? typeof code === 'number' : status === 400;
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

function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return printable(message === undefined ? count : `${count}: ${message}`);
}
