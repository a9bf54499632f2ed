import type { ServerClient } from '@portolan/registry-client';
import { BaseCommand } from './base-command.ts';
import type { ServerFlags } from './flags/server-flags.ts';

/** What commands that ask a running server share. */
export abstract class ServerCommand extends BaseCommand {
  #client: ServerClient | undefined;

  /** A client for the server that the flags name; see `connectRegistry` for what it throws. It is closed at the end. */
  protected async connect(flags: ServerFlags): Promise<ServerClient> {
    const { connectRegistry } = await import('./connect-registry.ts');
    const { version } = this.config;
    this.#client = await connectRegistry(flags, { version, environment: process.env, stdin: process.stdin });
    return this.#client;
  }

  protected override async finally(): Promise<void> {
    await this.#client?.close();
  }
}
