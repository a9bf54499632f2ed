import { Flags } from '@oclif/core';
import type { EntryAddress } from '@portolan/registry-client';
import { bootOptions } from '../../context/boot-options.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import type { AccessReport } from '../../explain/access-report.ts';
import { environmentToken } from '../../command-line/environment-token.ts';
import { configFlag } from '../../command-line/flags/config-flag.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { type ServerFlags, serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { parseEntryAddress } from '../../publish/entry-address.ts';
import { printReport } from '../../explain/print-report.ts';
import { explainFromServer } from '../../explain/explain-from-server.ts';
import { readToken } from '../../command-line/read-token.ts';

export default class ClaimsExplain extends ServerCommand {
  static override summary = 'Explain what a token may read and do, and why';
  static override description =
    'Shows which provider accepts the token, which rules grant which roles, and, key by key, which claims a ' +
    'registry and an entry require and the token has. With --config, the command evaluates the configuration ' +
    'and reads its database. With --url, the running server evaluates the token. Without a token, the command ' +
    'explains what a reader without a token may see.';
  static override flags = {
    config: configFlag,
    ...serverFlags,
    registry: Flags.string({ description: 'explain access to this registry', helpValue: 'NAME' }),
    entry: Flags.string({
      description: 'explain access to this entry; needs --registry if there are several',
      helpValue: 'TYPE/NAME',
    }),
    format: formatFlag,
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ClaimsExplain, this.argumentsOf(ClaimsExplain));
    const { registry } = flags;
    const entry = flags.entry === undefined ? undefined : parseEntryAddress(flags.entry);
    const report = this.#asksServer(flags.url)
      ? await this.#askServer(flags, { registry, entry })
      : await this.#workOut(flags, { registry, entry });
    this.print(flags.format, report, printReport(report));
  }

  /**
   * Returns whether a server explains the request, rather than the configuration. A flag takes precedence
   * over the server in the environment.
   */
  #asksServer(url: string | undefined): boolean {
    if (this.isTyped('--url') && this.isTyped('--config'))
      throw badArgument('expected one of --config and --url');
    return url !== undefined && !this.isTyped('--config');
  }

  async #askServer(flags: ServerFlags, wish: Wish): Promise<AccessReport> {
    return await explainFromServer(await this.connect(flags), wish);
  }

  async #workOut(flags: ConfigFlags, wish: Wish): Promise<AccessReport> {
    const { explainFromConfig } = await import('../../explain/explain-from-config.ts');
    const file = flags['token-file'];
    const token =
      file === undefined ? await environmentToken(process.env) : await readToken(file, process.stdin);
    return await explainFromConfig(await bootOptions({ config: flags.config, debug: flags.debug }), {
      ...wish,
      token,
    });
  }
}

interface Wish {
  readonly registry: string | undefined;
  readonly entry: EntryAddress | undefined;
}

interface ConfigFlags {
  readonly config?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly debug: boolean;
}
