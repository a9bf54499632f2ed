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
  #ending: Promise<void> | undefined;
  #isClosed = false;

  constructor(eras: ServerEras, context: EraContext) {
    this.#eras = eras;
    this.#context = context;
  }

  /** Starts the process before a client needs it. */
  async start(user: SharedUser): Promise<void> {
    if (this.#isClosed) throw proxyClosing();
    this.#users.add(user);
    if (this.#process !== undefined) return;
    const starting = (this.#started ??= this.#startAlone());
    try {
      const raw = await starting;
      void raw.exited.then(() => (this.#started === starting ? this.#endUsers() : undefined));
    } catch (error) {
      if (this.#started === starting) this.#started = undefined;
      this.#users.delete(user);
      throw error;
    }
  }

  /** Returns the running process. Otherwise starts one, in the given era if the server speaks it. */
  use(user: SharedUser, era: SharedProcess['era']): Promise<SharedProcess> {
    if (this.#isClosed) throw proxyClosing();
    this.#users.add(user);
    if (this.#process !== undefined) return this.#process;
    const starting = this.#open(era, () => {
      if (this.#process === starting) this.#endUsers();
    });
    this.#process = starting;
    starting.catch(() => {
      if (this.#process === starting) this.#process = undefined;
    });
    return starting;
  }

  /** Ends the process after its last user. */
  async leave(user: SharedUser): Promise<void> {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
    this.#ending = this.#end();
    await this.#ending;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#users.clear();
    await Promise.all([this.#end(), this.#ending]);
  }

  async #open(era: SharedProcess['era'], ended: () => void): Promise<SharedProcess> {
    const started = this.#started ?? this.#startAlone();
    this.#started = undefined;
    const raw = await started;
    if (era === 'modern') return (await this.#openModern(raw, ended)) ?? this.#openLegacy(undefined, ended);
    try {
      return await this.#openLegacy(raw, ended);
    } catch (error) {
      const modern = await this.#openModern(undefined, ended);
      if (modern === undefined) throw error;
      return modern;
    }
  }

  /** Starts the process after the earlier one is gone, because the server can run only once. */
  async #startAlone(): Promise<RawServer> {
    await this.#ending;
    await this.#eras.endProcesses();
    return this.#eras.openRaw();
  }

  async #openModern(raw: RawServer | undefined, ended: () => void): Promise<SharedProcess | undefined> {
    const modern = await this.#eras.openModern(raw);
    if (modern === undefined) return undefined;
    return { era: 'modern', peer: new ModernPeer(modern, this.#context, ended) };
  }

  async #openLegacy(raw: RawServer | undefined, ended: () => void): Promise<SharedProcess> {
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
      ended,
    });
    return { era: 'legacy', session };
  }

  /** Ends all users after the process has exited. */
  #endUsers(): void {
    this.#process = undefined;
    this.#started = undefined;
    void this.#eras.endProcesses();
    const users = [...this.#users];
    this.#users.clear();
    for (const user of users) user.ended();
  }

  async #end(): Promise<void> {
    const [starting, started] = [this.#process, this.#started];
    this.#process = undefined;
    this.#started = undefined;
    const opened = await starting?.catch(() => undefined);
    if (opened !== undefined)
      await (opened.era === 'modern' ? opened.peer : opened.session).close(proxyClosing());
    const raw = await started?.catch(() => undefined);
    await raw?.close();
  }
}
