import type { ServerConnection } from '@portolan/plugin-api';
import { isAlive } from '../../state/process-identity.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { forwardedHeaders } from '../server/forwarded-headers.ts';
import type { Supervision } from '../supervision.ts';
import { memberUnavailable } from './member-errors.ts';
import type { MemberTarget } from './member-source.ts';
import { type MemberAccess, type MemberBackend, openMemberBackend } from './open-member-backend.ts';

/** Address of a running workload. */
interface WorkloadAddress {
  readonly url: string;
  readonly transport: 'streamable-http' | 'sse';
}

export interface WorkloadMemberOptions {
  readonly workload: string;
  readonly access: MemberAccess;
  /** Run config and values with the headers of every request. */
  readonly headers: Pick<Supervision, 'config' | 'order'>;
}

type Look = { readonly address: WorkloadAddress } | { readonly why: string };

/**
 * Another workload of this machine as a member. The virtual server is one of its clients. `look` reads its
 * state again, after a change.
 */
export class WorkloadMember implements MemberTarget {
  readonly fault = '';
  readonly isIdle = false;
  readonly notice = '';
  readonly hasOutcomes = true;
  readonly #workload: string;
  readonly #access: MemberAccess;
  readonly #headers: ReturnType<typeof forwardedHeaders>;
  readonly #context: WorkloadContext;
  #state: Look = { why: 'it was not looked for yet' };
  #opened: { readonly url: string; readonly backend: Promise<MemberBackend> } | undefined;

  constructor({ workload, access, headers }: WorkloadMemberOptions, context: WorkloadContext) {
    this.#workload = workload;
    this.#access = access;
    this.#headers = forwardedHeaders(headers);
    this.#context = context;
  }

  readonly unavailable = (): string | undefined => ('why' in this.#state ? this.#state.why : undefined);

  /** Reads the state of the workload. Returns whether it has become available or unavailable. */
  async look(): Promise<boolean> {
    const before = this.unavailable();
    this.#state = await this.#find();
    return before !== this.unavailable();
  }

  readonly open = async (signal: AbortSignal): Promise<ServerConnection> => {
    if ('why' in this.#state) await this.look();
    if ('why' in this.#state) throw memberUnavailable(this.#access.member, this.#state.why);
    const { backend } = await this.#openBackend(this.#state.address);
    return await backend.openConnection(signal);
  };

  readonly close = async (): Promise<void> => {
    await (await this.#opened?.backend.catch(() => undefined))?.close();
  };

  async #find(): Promise<Look> {
    const name = this.#workload;
    const stored = await this.#context.store.find(name);
    if (stored === undefined) return { why: `there is no workload ${name}` };
    const { state, config, supervisor } = stored;
    if (state === undefined || config === undefined) return { why: `the state of ${name} is damaged` };
    const isSupervised = supervisor !== undefined && (await isAlive(supervisor));
    if (!isSupervised)
      return { why: `the workload ${name} is ${RESTING.has(state.status) ? state.status : 'stopped'}` };
    if (state.url === '') return { why: `the workload ${name} is ${state.status}` };
    const isSse = config.proxy_mode === 'sse' || config.transport === 'sse';
    return { address: { url: state.url, transport: isSse ? 'sse' : 'streamable-http' } };
  }

  /** Opens the connections to an address. A workload that has moved gets new ones. */
  async #openBackend({ url, transport }: WorkloadAddress): Promise<MemberBackend> {
    const earlier = this.#opened;
    if (earlier?.url === url) return await earlier.backend;
    const target = new URL(url);
    target.hash = '';
    const server = {
      carries: 'http',
      transport,
      target: new URL(target.origin),
      endpoint: target.pathname,
      isRemote: false,
      forwardHeaders: this.#headers,
    } as const;
    const backend = openMemberBackend(server, this.#access, { context: this.#context });
    this.#opened = { url, backend };
    backend.catch(() => {
      if (this.#opened?.backend === backend) this.#opened = undefined;
    });
    void earlier?.backend.then((opened) => opened.close()).catch(() => undefined);
    return await backend;
  }
}

/** Statuses that say themselves that the workload does not run. */
const RESTING: ReadonlySet<string> = new Set(['stopped', 'error', 'removing', 'policy_stopped']);
