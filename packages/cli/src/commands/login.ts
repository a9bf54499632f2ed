import type { Command } from '@oclif/core';
import { isPortolanError } from '@portolan/plugin-api';
import { workloadName } from '../command-line/flags/choice-flags.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { StartingCommand } from '../command-line/starting-command.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { hintForWorkload } from '@portolan/workload';
import { logInAgain } from '@portolan/workload/login';

export default class Login extends StartingCommand {
  static override summary = 'Log in to the remote server of a workload';
  static override description =
    'Opens a browser if there is one; otherwise shows an address to open on any device. The workload uses the ' +
    'new login at once, without a restart, and keeps its sessions.';
  static override examples: Command.Example[] = [
    { description: 'after a login has expired', command: '<%= config.bin %> login notes' },
  ];
  static override args = workloadName;
  static override flags = { config: workloadConfigFlag, format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Login);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const progress = this.progress();
      try {
        const login = await logInAgain(
          args.name,
          context,
          this.observer(progress, () => undefined),
          signal,
        );
        progress.clear();
        const until = login.expires_at === undefined ? '' : `; the token is valid until ${login.expires_at}`;
        this.print(flags.format, login, `logged in at ${login.issuer}${until}`);
      } catch (error) {
        throw isPortolanError(error) ? hintForWorkload(args.name, error) : error;
      } finally {
        progress.clear();
      }
    });
  }
}
