import { isJsonObject, type JsonRecord, memberOf } from '@portolan/mcp-protocol';
import type { Logger } from '@portolan/plugin-api';
import type { ListKind } from '../lists/list-kind.ts';
import type { ListFilter } from '@portolan/proxy/list-filter';
import { LIST_KINDS, listKindOf } from '../lists/list-kind.ts';
import { JoinedLists } from '../lists/joined-list.ts';
import type { Member } from '../members/member.ts';
import type { NameDirectory } from '../names/name-directory.ts';
import type { MemberStatus } from '../options.ts';
import { quoteText } from '../names/shown-text.ts';
import type { AppNames } from '../names/app-names.ts';
import { Seal } from '../sealing/seal.ts';
import { TaskIds } from '../sealing/task-ids.ts';

/** A connection that must know when a list has changed. */
export interface ListListener {
  /** Called when the list of a member in this view has changed, or a member came or went (no view). */
  listChanged(kind: ListKind, member: Member, view: string | undefined): void;
  /** Called when a member has left, so that its connections must end. */
  memberLeft(member: Member): void;
}

/** Capabilities that count as those of a member while it is unknown. */
const UNKNOWN: JsonRecord = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

export interface AggregateOptions {
  readonly name: string;
  readonly version: string;
  readonly names: Names;
  readonly logger: Logger;
  /** Monotonic time in milliseconds. */
  readonly nowMs: () => number;
}

export interface Names {
  readonly tools: NameDirectory;
  readonly prompts: NameDirectory;
  /** Own names that apps use. */
  readonly apps: AppNames;
}

/** State of a virtual server that all its connections share. */
export class Aggregate {
  readonly name: string;
  readonly version: string;
  /** Names of tools, and names of prompts. */
  readonly names: Names;
  /** Filter of the policies for lists. Undefined without such policies. */
  filter: ListFilter | undefined;
  readonly joined = new JoinedLists((kind, member, own, text) => {
    if (kind.items === 'tools') this.names.apps.learn(member, own, text);
    if (kind.items === 'tools') this.names.tools.expose(member, own);
    else this.names.prompts.expose(member, own);
  });
  readonly seal = new Seal();
  readonly taskIds = new TaskIds();
  readonly logger: Logger;
  readonly nowMs: () => number;
  readonly #listeners = new Set<ListListener>();
  #members: readonly Member[] = [];

  constructor(options: AggregateOptions) {
    this.name = options.name;
    this.version = options.version;
    this.names = options.names;
    this.logger = options.logger;
    this.nowMs = options.nowMs;
  }

  /** Members in the order of the file. */
  get members(): readonly Member[] {
    return this.#members;
  }

  memberNamed(name: string): Member | undefined {
    return this.#members.find((member) => member.name === name);
  }

  replaceMembers(members: readonly Member[]): void {
    const left = this.#members.filter((member) => !members.includes(member));
    const come = members.filter((member) => !this.#members.includes(member));
    this.#members = members;
    for (const member of left) for (const listener of this.#listeners) listener.memberLeft(member);
    for (const member of [...left, ...come])
      for (const kind of LIST_KINDS) this.noteListChange(member, kind, undefined);
  }

  /** Returns the directory of the names in a list. Lists of resources have no names. */
  namesOf({ items }: ListKind): NameDirectory {
    return items === 'prompts' ? this.names.prompts : this.names.tools;
  }

  /** Notes members that have become reachable or unreachable since the last call. */
  noteAvailability(): void {
    for (const member of this.#members) {
      if (!member.noteAvailability()) continue;
      for (const kind of LIST_KINDS) this.noteListChange(member, kind, undefined);
    }
  }

  listen(listener: ListListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  noteListChange(member: Member, kind: ListKind, view: string | undefined): void {
    for (const listener of this.#listeners) listener.listChanged(kind, member, view);
  }

  /** Capabilities of all members together, as last known. Never waits for a member. */
  get capabilities(): JsonRecord {
    const all = this.#members.map(({ capabilities }) => capabilities ?? UNKNOWN);
    const joined: Record<string, JsonRecord> = {};
    for (const name of Object.keys(UNKNOWN)) {
      const declared = all.map((one) => memberOf(one, name)).filter(isJsonObject);
      if (declared.length > 0) joined[name] = Object.assign({}, ...declared.map(truths), changes(name));
    }
    const tasks = all.map((one) => memberOf(one, 'tasks')).filter(isJsonObject);
    if (tasks.length > 0) joined['tasks'] = Object.assign({}, ...tasks);
    return joined;
  }

  /** Returns one paragraph for each member that has instructions, headed by its name. Undefined without any. */
  get instructions(): string | undefined {
    const paragraphs = this.#members.flatMap(({ name, instructions }) =>
      instructions === undefined ? [] : [`${name}: ${instructions}`],
    );
    return paragraphs.length === 0 ? undefined : paragraphs.join('\n\n');
  }

  get status(): readonly MemberStatus[] {
    return this.#members.map((member) =>
      member.status([
        ...this.names.tools.findingsOf(member.name),
        ...this.names.prompts.findingsOf(member.name),
        ...this.#claimsOf(member),
        ...this.#cutsOf(member),
      ]),
    );
  }

  #cutsOf(member: Member): readonly string[] {
    return LIST_KINDS.flatMap((kind) =>
      this.joined.latest(kind)?.cut.includes(member) === true
        ? [
            `Its list "${kind.items}" is shown in part, because the lists of all members are too long together.`,
          ]
        : [],
    );
  }

  #claimsOf(member: Member): readonly string[] {
    return ['resources/list', 'resources/templates/list'].flatMap((method) => {
      const kind = listKindOf(method);
      const claims = kind === undefined ? [] : (this.joined.latest(kind)?.claims ?? []);
      return claims.flatMap(({ id, owner, claimant }) =>
        claimant === member ? [`It lists ${quoteText(id)}, which belongs to "${owner.name}".`] : [],
      );
    });
  }
}

/** Returns the members of a capability that are true. */
function truths(capability: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(capability).filter(([, value]) => value === true));
}

/** Every list of a virtual server can change, because its members can. */
function changes(name: string): JsonRecord {
  return LIST_KINDS.some(({ capability }) => capability === name) ? { listChanged: true } : {};
}
