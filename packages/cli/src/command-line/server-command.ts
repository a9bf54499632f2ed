import { BaseCommand } from './base-command.ts';
import type { ServerFlags } from './flags/server-flags.ts';
import type { RegistryClient } from '../registry-client/registry-client.ts';

/** What commands that ask a running server share. */
export abstract class ServerCommand extends BaseCommand {
  /** A client for the server that the flags name; see `connectRegistry` for what it throws. */
  protected async connect(flags: ServerFlags): Promise<RegistryClient> {
    const { connectRegistry } = await import('../registry-client/connect-registry.ts');
    return await connectRegistry(flags, { version: this.config.version, stdin: process.stdin });
  }
}
