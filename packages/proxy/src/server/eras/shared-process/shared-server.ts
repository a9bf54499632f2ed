import type { NotificationMessage } from '@portolan/mcp-protocol';
import { proxyClosing } from '../../../errors/server-errors.ts';
import type { EraContext } from '../era-options.ts';
import { ModernPeer } from '../legacy-clients/modern-peer.ts';
import { InnerSession } from '../modern-clients/inner-session.ts';
import type { RawServer } from '../raw-server.ts';
import type { ServerEras } from '../server-eras.ts';

/** The only process of a server, in the era in which it was first used. */
export type SharedProcess =
  | { readonly era: 'modern'; readonly peer: ModernPeer }
  | { readonly era: 'legacy'; readonly session: InnerSession };

/** Connection of clients to the only process. */
export interface SharedUser {
  notified(notification: NotificationMessage): void;
  /** Called when the process has ended. */
  ended(): void;
}

/** The only process of a server that clients of all revisions share. Starts it again when it has ended. */
export class SharedServer {
  readonly #eras: ServerEras;
  readonly #context: EraContext;
  readonly #users = new Set<SharedUser>();
  #started: Promise<RawServer> | undefined;
  #process: Promise<SharedProcess> | undefined;
  #isClosed = false;

  constructor(eras: ServerEras, context: EraContext) {
    this.#eras = eras;
    this.#context = context;
  }

  /** Starts the process before a client needs it. */
  async start(): Promise<void> {
    if (this.#process !== undefined) return;
    this.#started ??= this.#eras.openRaw();
    try {
      await this.#started;
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
  }

  /** Returns the running process. Otherwise starts one, in the given era if the server speaks it. */
  use(user: SharedUser, era: SharedProcess['era']): Promise<SharedProcess> {
    if (this.#isClosed) throw proxyClosing();
    this.#users.add(user);
    if (this.#process !== undefined) return this.#process;
    const starting = this.#open(era);
    this.#process = starting;
    starting.catch(() => {
      if (this.#process === starting) this.#process = undefined;
    });
    return starting;
  }

  /** Ends the process after its last user. */
  async leave(user: SharedUser): Promise<void> {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
    await this.#end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#users.clear();
    const raw = await this.#started?.catch(() => undefined);
    this.#started = undefined;
    await raw?.close();
    await this.#end();
  }

  async #open(era: SharedProcess['era']): Promise<SharedProcess> {
    const raw = await this.#started;
    this.#started = undefined;
    if (era === 'modern') return (await this.#openModern(raw)) ?? this.#openLegacy(undefined);
    try {
      return await this.#openLegacy(raw);
    } catch (error) {
      const modern = await this.#openModern(undefined);
      if (modern === undefined) throw error;
      return modern;
    }
  }

  async #openModern(raw: RawServer | undefined): Promise<SharedProcess | undefined> {
    const modern = await this.#eras.openModern(raw);
    if (modern === undefined) return undefined;
    return { era: 'modern', peer: new ModernPeer(modern, this.#context, () => this.#over()) };
  }

  async #openLegacy(raw: RawServer | undefined): Promise<SharedProcess> {
    const session = await InnerSession.open({
      eras: this.#eras,
      context: this.#context,
      // Without capabilities the server sends no requests, which could belong to any client.
      capabilities: {},
      clientInfo: undefined,
      sender: undefined,
      raw,
      isShared: true,
      notified: (notification) => {
        for (const user of this.#users) user.notified(notification);
      },
      freed: () => undefined,
      ended: () => this.#over(),
    });
    return { era: 'legacy', session };
  }

  #over(): void {
    this.#process = undefined;
    const users = [...this.#users];
    this.#users.clear();
    for (const user of users) user.ended();
  }

  async #end(): Promise<void> {
    const starting = this.#process;
    this.#process = undefined;
    const opened = await starting?.catch(() => undefined);
    if (opened === undefined) return;
    await (opened.era === 'modern' ? opened.peer : opened.session).close(proxyClosing());
  }
}
