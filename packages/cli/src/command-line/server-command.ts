import type { RegistryAccess, ServerClient } from '@portolan/registry-client';
import type { OpenedContext } from '../context/open-workload-context.ts';
import { directoriesOfUser } from '../context/user-directories.ts';
import { askPasswordOnTerminal } from '../terminal/ask/ask-password.ts';
import { BaseCommand } from './base-command.ts';
import type { ServerFlags } from './flags/server-flags.ts';
import { processEnd } from './process-end.ts';
import { connectRegistry } from './connect-registry.ts';
import { directoriesOf } from '@portolan/workload';
import { findRegistryLogin, findLoginAccess } from '@portolan/workload/registry-login';
import { listenForStop, SIGNAL_STATUS, type SignalSource } from '../terminal/stop-signals.ts';

export abstract class ServerCommand extends BaseCommand {
  #client: ServerClient | undefined;
  #context: OpenedContext | undefined;

  /**
   * Returns a client for the server that the flags name; see `connectRegistry` for the errors. The command
   * closes it at its end.
   */
  protected async connect(flags: ServerFlags): Promise<ServerClient> {
    this.#client = await connectRegistry(flags, {
      version: this.config.version,
      environment: process.env,
      stdin: process.stdin,
      urlFrom: this.isTyped('--url') ? '--url' : 'PORTOLAN_URL',
      findLogin: (server) => this.#findLogin(server),
    });
    return this.#client;
  }

  /**
   * Returns the access of the stored login for a server. Opens secrets and plugins only if there is a login,
   * because most users have none.
   */
  async #findLogin(server: URL): Promise<RegistryAccess | undefined> {
    const { env: environment } = process;
    if ((await findRegistryLogin(server, directoriesOf(directoriesOfUser(environment)))) === undefined)
      return undefined;
    const { openWorkloadContext } = await import('../context/open-workload-context.ts');
    this.#context = await openWorkloadContext({
      environment,
      debug: this.argv.includes('--debug'),
      configFile: environment['PORTOLAN_CONFIG'] || undefined,
      version: this.config.version,
      askPassword: askPasswordOnTerminal(process, new AbortController().signal),
    });
    const access = await this.loginAccess(server, this.#context);
    if (access === undefined) return undefined;
    return finishRenewals(access, { process, end: (status) => processEnd.end(status) });
  }

  protected async loginAccess(server: URL, context: OpenedContext): Promise<RegistryAccess | undefined> {
    return await findLoginAccess(server, context);
  }

  protected override async finally(): Promise<void> {
    await this.#client?.close();
    await this.#context?.close();
  }
}

interface EndedProcess {
  readonly process: SignalSource;
  readonly end: (status: number) => unknown;
}

/**
 * Wraps access so that Ctrl-C does not interrupt a token renewal. A refresh token is valid once, so an
 * unsaved successor would force a new login. After the renewal, the command ends with the status of the
 * signal. A second signal ends it at once.
 */
export function finishRenewals(access: RegistryAccess, { process, end }: EndedProcess): RegistryAccess {
  const finished = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const stop = listenForStop(process, { signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], end });
    try {
      return await work();
    } finally {
      stop.close();
      if (stop.signal.aborted) end(SIGNAL_STATUS[await stop.received]);
    }
  };
  return {
    ...access,
    token: async () => await finished(async () => await access.token()),
    renewed: async (refused) => await finished(async () => await access.renewed(refused)),
  };
}
