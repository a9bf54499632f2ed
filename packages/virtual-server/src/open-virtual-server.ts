import { translateEras } from '@portolan/proxy/eras';
import type { MessageBackend, ToolIndex } from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import { createListFilter } from '@portolan/proxy/list-filter';
import { createCounts, type LinkContext } from '@portolan/proxy/server-link';
import { SEARCH_TOOLS } from '@portolan/run-spec';
import { Aggregate } from './aggregate/aggregate.ts';
import { AggregateConnection } from './aggregate/aggregate-connection.ts';
import { listKindOf } from './lists/list-kind.ts';
import { Member } from './members/member.ts';
import { NamesMiddleware } from './middleware/names-middleware.ts';
import { AppNames } from './names/app-names.ts';
import { NameDirectory } from './names/name-directory.ts';
import { ToolSearch } from './search/tool-search.ts';
import type { MemberSource, MemberStatus, SearchSettings, VirtualServerOptions } from './options.ts';

/** Interval in milliseconds in which members are looked at that came back or went away, such as workloads. */
const AVAILABILITY_MS = 1000;

export interface VirtualServer {
  /** Backend of a proxy, whose clients see all members as one server. */
  readonly backend: MessageBackend;
  /** Middleware that the proxy must have before all other of its slot, because it maps the names. */
  readonly middleware: PlacedProxyMiddleware;
  /**
   * Lets the other middleware of the proxy decide which clients hear of a changed list: those whose own view has
   * changed.
   */
  usePolicies(policies: readonly PlacedProxyMiddleware[]): void;
  status(): readonly MemberStatus[];
  /**
   * Replaces the members. A member with the same source object keeps its connections. Settles when those of
   * removed members are closed.
   */
  replaceMembers(sources: readonly MemberSource[]): Promise<void>;
  /**
   * Replaces the settings of the tool search. Clients hear that their lists changed. Throws if the search can be
   * on without an index.
   */
  replaceSearch(search: SearchSettings, toolIndex: ToolIndex | undefined): void;
  /** Closes all connections to members. Idempotent. Never rejects. */
  close(): Promise<void>;
}

/** Opens a virtual server. It reaches a member only when a client needs it. */
export function openVirtualServer(options: VirtualServerOptions): VirtualServer {
  return new OpenedVirtualServer(options);
}

class OpenedVirtualServer implements VirtualServer {
  readonly backend: MessageBackend;
  readonly middleware: PlacedProxyMiddleware;
  readonly #options: VirtualServerOptions;
  readonly #aggregate: Aggregate;
  readonly #names: NamesMiddleware;
  readonly #connections = new Set<AggregateConnection>();
  readonly #nowMs: () => number;
  readonly #watching: NodeJS.Timeout;
  #views = 0;

  constructor(options: VirtualServerOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    const reserved = reservedBy(options.search);
    const names = {
      tools: new NameDirectory(reserved, (member, own) => this.#lacks('tools/list', member, own)),
      prompts: new NameDirectory([], (member, own) => this.#lacks('prompts/list', member, own)),
      apps: new AppNames(),
    };
    const { name, version, logger } = options;
    this.#aggregate = new Aggregate({ name, version, names, logger, nowMs: this.#nowMs });
    this.#setMembers(options.members.map((source) => this.#createMember(source)));
    this.#watching = setInterval(() => this.#aggregate.noteAvailability(), AVAILABILITY_MS);
    this.#watching.unref();
    this.backend = {
      carries: 'messages',
      mode: 'streamable-http',
      sessions: 'own',
      // A late member gets an error that names it, and never an HTTP error.
      limitsRequests: true,
      openConnection: () => Promise.resolve(this.#openConnection()),
    };
    this.#names = new NamesMiddleware(this.#aggregate, createSearch(options));
    this.middleware = {
      name: 'names of members',
      placed: 'names',
      instance: this.#names,
    };
  }

  usePolicies(policies: readonly PlacedProxyMiddleware[]): void {
    const others = policies.filter(({ instance }) => instance !== this.middleware.instance);
    this.#aggregate.filter = createListFilter(others, this.#options.logger);
  }

  status(): readonly MemberStatus[] {
    return this.#aggregate.status;
  }

  async replaceMembers(sources: readonly MemberSource[]): Promise<void> {
    const before = this.#aggregate.members;
    const members = sources.map(
      (source) => before.find((member) => member.source === source) ?? this.#createMember(source),
    );
    this.#setMembers(members);
    await Promise.all(before.filter((member) => !members.includes(member)).map((member) => member.close()));
  }

  replaceSearch(search: SearchSettings, toolIndex: ToolIndex | undefined): void {
    const { logger } = this.#options;
    this.#names.replaceSearch(createSearch({ search, toolIndex, logger }));
    this.#aggregate.names.tools.reserve(reservedBy(search));
    const kind = listKindOf('tools/list');
    const [member] = this.#aggregate.members;
    if (kind !== undefined && member !== undefined) this.#aggregate.noteListChange(member, kind, undefined);
  }

  async close(): Promise<void> {
    clearInterval(this.#watching);
    await Promise.all([...this.#connections].map((connection) => connection.close()));
    await Promise.all(this.#aggregate.members.map((member) => member.close()));
  }

  #setMembers(members: readonly Member[]): void {
    const named = members.map(({ name, source: { settings } }) => ({ name, settings }));
    this.#aggregate.names.tools.replaceMembers(named);
    this.#aggregate.names.prompts.replaceMembers(named);
    this.#aggregate.replaceMembers(members);
  }

  /** Returns whether the list of a member is known, and does not have the item. */
  #lacks(method: string, name: string, own: string): boolean {
    const kind = listKindOf(method);
    const member = this.#aggregate.memberNamed(name);
    const list = kind === undefined ? undefined : member?.lists.latest(kind);
    return list !== undefined && !list.items.some(({ id }) => id === own);
  }

  #createMember(source: MemberSource): Member {
    const { version, logger, limits } = this.#options;
    const server = translateEras(source.open, { ...this.#linkContext(), version, logger, limits });
    return new Member({
      source,
      server,
      nowMs: this.#nowMs,
      listChanged: (member, kind, view) => this.#aggregate.noteListChange(member, kind, view),
    });
  }

  #openConnection(): AggregateConnection {
    const connection: AggregateConnection = new AggregateConnection(
      {
        aggregate: this.#aggregate,
        link: this.#linkContext(),
        mintView: () => `session ${(this.#views += 1)}`,
      },
      (closed) => this.#connections.delete(closed),
    );
    this.#connections.add(connection);
    return connection;
  }

  #linkContext(): LinkContext {
    const { limits, logger, clock } = this.#options;
    return { limits, counts: createCounts(), logger, clock, nowMs: this.#nowMs };
  }
}

/** Returns the names that no member may have while the search can be on. */
function reservedBy({ mode }: SearchSettings): readonly string[] {
  return mode === 'off' ? [] : SEARCH_TOOLS;
}

/** Creates the tool search. Throws if it can be on without an index. */
function createSearch({
  search,
  toolIndex,
  logger,
}: Pick<VirtualServerOptions, 'search' | 'toolIndex' | 'logger'>): ToolSearch | undefined {
  if (search.mode === 'off') return undefined;
  if (toolIndex === undefined) throw new Error('the tool search needs an index');
  return new ToolSearch({ settings: search, index: toolIndex, logger });
}
