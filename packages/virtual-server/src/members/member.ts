import { isJsonObject, memberOf, type JsonRecord } from '@portolan/mcp-protocol';
import { isPortolanError, type MessageSender } from '@portolan/plugin-api';
import type { TranslatedServer } from '@portolan/proxy/eras';
import { ListCache } from '../lists/list-cache.ts';
import { LIST_KINDS, type ListKind } from '../lists/list-kind.ts';
import type { MemberList } from '../lists/read-list.ts';
import type { MemberOutcome, MemberSource, MemberStatus } from '../options.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { callerAt, identifyingHeaders } from './member-caller.ts';
import { MemberBusy, MemberPlaces } from './member-places.ts';
import { MemberTimeout } from './member-timeout.ts';

/** Maximum length in characters of the instructions of one member. */
const MAX_INSTRUCTIONS = 2000;
/** Maximum length in characters of the last error in the status. */
const MAX_ERROR = 500;

/** Default maximum number of sessions at a member, as for the sessions of one workload. */
const MAX_SESSIONS = 16;

export interface MemberOptions {
  readonly source: MemberSource;
  readonly server: TranslatedServer;
  readonly nowMs: () => number;
  /** Called when a list is different now, or known for the first time. */
  readonly listChanged: (member: Member, kind: ListKind, view: string) => void;
}

/** State of one member: known lists and capabilities, sessions, and whether it works. */
export class Member {
  readonly name: string;
  readonly source: MemberSource;
  readonly server: TranslatedServer;
  readonly breaker: CircuitBreaker;
  readonly lists: ListCache;
  readonly places: MemberPlaces;
  /** Whether what the member lists may differ between callers. */
  readonly isPerCaller: boolean;
  readonly #identifying: readonly string[];
  #wasUnavailable = false;
  #capabilities: JsonRecord | undefined;
  #instructions: string | undefined;
  #revision: string | undefined;
  #lastError: string | undefined;
  #isUnauthenticated = false;
  readonly #endOutcomes: (() => void) | undefined;

  constructor({ source, server, nowMs, listChanged }: MemberOptions) {
    this.name = source.name;
    this.source = source;
    this.server = server;
    this.#identifying = identifyingHeaders(source);
    this.isPerCaller = source.isPerCaller || this.#identifying.length > 0;
    this.breaker = new CircuitBreaker(nowMs);
    this.places = new MemberPlaces(source.maxSessions ?? MAX_SESSIONS, nowMs);
    this.#wasUnavailable = this.unreachable !== undefined;
    this.lists = new ListCache({
      nowMs,
      changed: (kind, view) => listChanged(this, kind, view),
      failed: (error) => this.#note(error),
    });
    this.#endOutcomes = source.onOutcome?.((outcome) => this.#take(outcome));
  }

  /** Capabilities that the server declared. Undefined while unknown. */
  get capabilities(): JsonRecord | undefined {
    return this.#capabilities;
  }

  get instructions(): string | undefined {
    return this.#instructions;
  }

  /** Returns the sender of a message as the member sees it, with the headers that the member gets. */
  callerOf(sender: MessageSender | undefined): MessageSender | undefined {
    return callerAt(this.#identifying, sender);
  }

  /** Returns a text that is equal for callers that the member lists the same for. Empty when it does so for all. */
  viewerOf(sender: MessageSender | undefined): string {
    return this.isPerCaller ? (this.callerOf(sender)?.owner ?? '') : '';
  }

  /** Returns why the member cannot be reached now; undefined when it may be reached. */
  get unavailable(): string | undefined {
    return this.source.unavailable?.();
  }

  /** Returns why the server does not respond to health checks now; undefined when it does. */
  get silent(): string | undefined {
    return this.source.silent?.();
  }

  /** Returns why a call of the member fails at once; undefined when it may succeed. */
  get unreachable(): string | undefined {
    return this.unavailable ?? this.silent;
  }

  /** Lets the health of the server be checked, because a request failed or is late. */
  suspect(): void {
    this.source.suspect?.();
  }

  /** Returns whether the member declares a capability, or has not declared any yet. */
  mayHave(capability: string): boolean {
    return this.#capabilities === undefined || memberOf(this.#capabilities, capability) !== undefined;
  }

  /** Returns whether the member announces changes of a list. */
  announcesChanges({ capability }: ListKind): boolean {
    const declared = memberOf(this.#capabilities, capability);
    return isJsonObject(declared) && memberOf(declared, 'listChanged') === true;
  }

  /** Stores what the result of a handshake or of `server/discover` says. */
  learn(result: unknown): void {
    if (!isJsonObject(result)) return;
    const capabilities = memberOf(result, 'capabilities');
    const instructions = memberOf(result, 'instructions');
    const revision = memberOf(result, 'protocolVersion');
    if (typeof revision === 'string') this.#revision = revision;
    this.#capabilities = isJsonObject(capabilities) ? capabilities : {};
    this.#instructions =
      typeof instructions === 'string' ? toParagraph(instructions.slice(0, MAX_INSTRUCTIONS)) : undefined;
  }

  /** Whether failures of requests over HTTP are known, although they look like responses. */
  get hasOutcomes(): boolean {
    return this.#endOutcomes !== undefined;
  }

  /** Returns whether the member has become reachable or unreachable since the last call. */
  noteAvailability(): boolean {
    const isUnavailable = this.unreachable !== undefined;
    if (isUnavailable === this.#wasUnavailable) return false;
    this.#wasUnavailable = isUnavailable;
    if (!isUnavailable) {
      this.breaker.succeeded();
      this.lists.invalidateAll();
    }
    return true;
  }

  /** Records a response. It never counts as a failure, even if it is an error. */
  succeeded(): void {
    if (!this.hasOutcomes) this.#take('responded');
  }

  /** Records that a request got no response. `isFailure` is false when the request was cancelled. */
  failed(error: unknown, isFailure: boolean): void {
    if (!isFailure) {
      this.breaker.abandoned();
      return;
    }
    this.#note(error);
    // Other failures over HTTP have an outcome, which says whether they count. An invalid response is a response.
    const counts = isTimeout(error) || (!this.hasOutcomes && !isNoFault(error));
    if (counts) this.#take('failed');
    else this.breaker.abandoned();
  }

  status(findings: readonly string[]): MemberStatus {
    const [tools] = LIST_KINDS;
    const known = tools === undefined ? undefined : this.lists.latest(tools);
    const why = this.unreachable;
    return {
      name: this.name,
      state: this.#stateOf(why),
      revision: this.server.revision ?? this.#revision,
      tools: known && countSeen(known, this.source.settings.tools),
      lastError: why ?? this.#lastError,
      findings: [...findings, ...this.#listFindings(), ...this.lists.findings],
    };
  }

  /** Closes the connections to the member, and releases what its source needs. Never rejects. */
  async close(): Promise<void> {
    this.#endOutcomes?.();
    await this.server.close();
    await this.source.close?.().catch(() => undefined);
  }

  #stateOf(unavailable: string | undefined): MemberStatus['state'] {
    if (unavailable !== undefined) return 'unavailable';
    if (this.#isUnauthenticated) return 'unauthenticated';
    if (this.breaker.isOpen) return 'failing';
    return this.#capabilities === undefined ? 'unknown' : 'available';
  }

  #listFindings(): readonly string[] {
    return LIST_KINDS.flatMap((kind) => this.lists.latest(kind)?.finding ?? []);
  }

  #take(outcome: MemberOutcome): void {
    this.#isUnauthenticated = outcome === 'unauthenticated';
    if (outcome === 'failed') {
      this.breaker.failed();
      this.suspect();
    } else this.breaker.succeeded();
    if (outcome === 'responded') this.#lastError = undefined;
  }

  #note(error: unknown): void {
    this.#lastError = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR);
  }
}

function isTimeout(error: unknown): boolean {
  if (error instanceof MemberTimeout) return true;
  return isPortolanError(error) && error.code === 'ERR_SERVER_TIMED_OUT';
}

function isNoFault(error: unknown): boolean {
  if (error instanceof MemberBusy) return true;
  return isPortolanError(error) && error.code.startsWith('ERR_ANSWER_');
}

/** Removes empty lines, so that instructions cannot begin the paragraph of another member. */
function toParagraph(text: string): string {
  return text.trim().replaceAll(/[\r\n\u2028\u2029]\s*/g, '\n');
}

/** Returns how many tools clients can see, without policies. */
function countSeen({ items }: MemberList, tools: readonly string[] | undefined): number {
  return tools === undefined ? items.length : items.filter(({ id }) => tools.includes(id)).length;
}
