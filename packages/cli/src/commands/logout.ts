import type { Command } from '@oclif/core';
import { workloadName } from '../command-line/flags/choice-flags.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../command-line/workload-command.ts';
import { logOut } from '@portolan/workload/login';

export default class Logout extends WorkloadCommand {
  static override summary = 'Log out of the remote server of a workload';
  static override description =
    'Revokes the tokens at the authorization server, if it supports that, and removes them from the secret ' +
    'store.';
  static override examples: Command.Example[] = [
    { description: 'before another user logs in', command: '<%= config.bin %> logout notes' },
  ];
  static override args = workloadName;
  static override flags = { config: workloadConfigFlag, format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Logout);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const { notes, ...result } = await logOut(args.name, context, signal);
      this.tell(notes);
      this.print(flags.format, result, `logged out of ${result.issuer}`);
    });
  }
}
