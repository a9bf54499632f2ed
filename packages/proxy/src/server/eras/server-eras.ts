import {
  attachResponse,
  DISCOVER,
  INTERNAL_ERROR,
  isJsonObject,
  isModern,
  memberOf,
  ownGreeting,
  ownParams,
  ownRequest,
  type ResponseMessage,
  revisionsOfRefusal,
  servedRevisions,
  stringsIn,
} from '@portolan/mcp-protocol';
import { readHttpFault } from '@portolan/mcp-client';
import type { MessageSender, OpenConnection, PortolanError } from '@portolan/plugin-api';
import { setTimeout as pass } from 'node:timers/promises';
import { proxyClosing, serverFailedToStart } from '../../errors/server-errors.ts';
import { Startup } from '../startup.ts';
import type { EraContext } from './era-options.ts';
import { RawServer } from './raw-server.ts';

/** Process that has confirmed that it speaks a Modern revision. */
export interface ModernServer {
  readonly raw: RawServer;
  /** Supported Modern revisions that the proxy knows. */
  readonly revisions: readonly string[];
  /** Response to `server/discover`. Undefined when the server refused the revision of the probe. */
  readonly discovery: ResponseMessage | undefined;
}

interface ModernVerdict {
  readonly revisions: readonly string[];
  readonly discovery: ResponseMessage | undefined;
}

/**
 * What is known about the eras of one server. The first message decides the era of a process with some SDKs, so a
 * process that was probed in vain is thrown away.
 */
export class ServerEras {
  readonly startup = new Startup();
  readonly #open: OpenConnection;
  readonly #context: EraContext;
  readonly #stop = new AbortController();
  /** Processes that have not been closed yet, also those that have exited. */
  readonly #processes = new Set<RawServer>();
  #legacyRevision: string | undefined;
  #modern: readonly string[] | undefined;
  #legacyUntilMs = 0;
  #hasHandshake = false;

  constructor(open: OpenConnection, context: EraContext) {
    this.#open = open;
    this.#context = context;
  }

  /** Whether a server process has refused `initialize` and speaks a Modern revision. */
  get isModernOnly(): boolean {
    return this.#modern !== undefined && !this.#hasHandshake;
  }

  get modernRevisions(): readonly string[] | undefined {
    return this.#modern;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Newest Legacy revision that a handshake has agreed on. Undefined before the first one. */
  get legacyRevision(): string | undefined {
    return this.#legacyRevision;
  }

  /** Records the revision of a successful handshake. */
  noteAgreed({ result }: ResponseMessage): void {
    const revision = isJsonObject(result) ? memberOf(result, 'protocolVersion') : undefined;
    if (typeof revision === 'string') this.#legacyRevision = revision;
  }

  /** Records the response of a process to `initialize`, which took some milliseconds. */
  noteHandshake(response: ResponseMessage, tookMs: number): void {
    if (!response.isError) this.#hasHandshake = true;
    const namesModern = revisionsOfRefusal(response)?.some(isModern) === true;
    if (!this.startup.isKnown) this.startup.note({ tookMs, namesModern });
  }

  async openRaw(signal?: AbortSignal): Promise<RawServer> {
    const { signal: stop } = this.#stop;
    try {
      const connection = await this.#open(signal === undefined ? stop : AbortSignal.any([stop, signal]));
      const raw: RawServer = new RawServer(connection, () => this.#processes.delete(raw));
      this.#processes.add(raw);
      if (!stop.aborted) return raw;
      await raw.close();
    } catch (error) {
      throw serverFailedToStart(error);
    }
    throw proxyClosing();
  }

  /**
   * Opens a process, or takes a started one, and probes it with the credentials of `sender`. Returns undefined when
   * the server is Legacy (handshake required).
   */
  async openModern(started?: RawServer, sender?: MessageSender): Promise<ModernServer | undefined> {
    if (this.#context.nowMs() < this.#legacyUntilMs) {
      await started?.close();
      return undefined;
    }
    const raw = started ?? (await this.openRaw());
    try {
      const probed = await this.#probe(raw, sender);
      if (probed === undefined) {
        await raw.close();
        return undefined;
      }
      this.#modern = probed.revisions;
      return { raw, ...probed };
    } catch (error) {
      await raw.close();
      throw error;
    }
  }

  /** Ends all processes, and settles when they are gone. Never rejects. */
  async endProcesses(): Promise<void> {
    await Promise.all([...this.#processes].map((raw) => raw.close()));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.endProcesses();
  }

  async #probe(raw: RawServer, sender: MessageSender | undefined): Promise<ModernVerdict | undefined> {
    const { version, limits, nowMs } = this.#context;
    const { text, id } = ownRequest(DISCOVER, ownParams(version));
    const stop = new AbortController();
    const silence = this.#awaitSilence(stop.signal, sender).then(() => 'silent' as const);
    try {
      const outcome = await Promise.race([raw.ask(text, id, sender), silence]);
      const fault = typeof outcome === 'object' ? readFault(outcome) : undefined;
      // The server has not responded, so nothing is known about its revisions.
      if (fault !== undefined) throw fault;
      const verdict = typeof outcome === 'object' ? readVerdict(outcome) : undefined;
      const isSure = typeof outcome === 'object';
      if (verdict === undefined) this.#legacyUntilMs = isSure ? Infinity : nowMs() + limits.startTimeoutMs;
      return verdict;
    } finally {
      stop.abort();
    }
  }

  /**
   * Settles when a missing response means Legacy. Until a process has responded to `initialize`, a silent process
   * may still be loading, so this starts another process and sends it `initialize`.
   */
  async #awaitSilence(signal: AbortSignal, sender: MessageSender | undefined): Promise<void> {
    const { limits, nowMs } = this.#context;
    const sentMs = nowMs();
    try {
      if (!this.startup.isKnown) {
        await pass(limits.probeMs, undefined, { signal });
        if (!this.#context.isShared) void this.#learnStartup(signal, sender);
      }
      const timeout = pass(limits.startTimeoutMs, undefined, { signal });
      timeout.catch(() => undefined);
      const first = await Promise.race([this.startup.first, timeout]);
      const tookMs = first?.tookMs ?? 0;
      const leftMs =
        first?.namesModern === true ? limits.startTimeoutMs : tookMs + limits.probeMs - (nowMs() - sentMs);
      await pass(Math.min(Math.max(0, leftMs), limits.startTimeoutMs), undefined, { signal });
    } catch {
      // The probe has its response, so this result is not used.
    }
  }

  /** Measures how long a process takes to respond to `initialize`. Never rejects. */
  async #learnStartup(signal: AbortSignal, sender: MessageSender | undefined): Promise<void> {
    if (this.startup.isKnown || signal.aborted) return;
    const { version, nowMs } = this.#context;
    const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    try {
      const startedMs = nowMs();
      const raw = await this.openRaw(signal);
      const { text, id } = ownRequest('initialize', ownGreeting(version));
      const response = await Promise.race([raw.ask(text, id, sender), aborted]);
      if (response !== undefined) this.noteHandshake(response, nowMs() - startedMs);
      await raw.close();
    } catch {
      // The pending probe decides then.
    }
  }
}

/** Returns the error of a request that failed on its way to an HTTP server. Undefined for a response of the server. */
function readFault(response: ResponseMessage): PortolanError | undefined {
  const fault = readHttpFault(response);
  // The server has responded, although not with a message.
  if (fault === undefined || fault.reason === 'rejected' || fault.reason === 'invalid-response')
    return undefined;
  const { reason, message, details } = fault;
  const error = serverFailedToStart(new Error(message));
  return attachResponse(error, { rpcCode: INTERNAL_ERROR, data: { reason, ...details } });
}

function readVerdict(response: ResponseMessage): ModernVerdict | undefined {
  const { isError, result } = response;
  const listed = isError
    ? revisionsOfRefusal(response)
    : stringsIn(isJsonObject(result) ? memberOf(result, 'supportedVersions') : undefined);
  if (listed?.some(isModern) !== true) return undefined;
  return { revisions: servedRevisions(listed), discovery: isError ? undefined : response };
}
