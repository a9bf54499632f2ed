import type { AuthFileName } from '@portolan/plugin-api';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { optionalAuthFile } from '../../command-line/flags/auth-file-argument.ts';
import { boolean } from '../../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { unsetAuthFiles } from '@portolan/workload/settings';

export default class ConfigUnsetBuildAuthFile extends WorkloadCommand {
  static override summary = 'Remove a credentials file from package builds, and delete its content';
  static override usage = 'config unset-build-auth-file NAME | --all';
  static override args = optionalAuthFile;
  static override flags = { all: boolean({ description: 'all files' }), config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigUnsetBuildAuthFile);
    // SAFETY: the parser rejects other names.
    const name = args.file as AuthFileName | undefined;
    if ((name === undefined) !== (flags.all === true)) throw badArgument('expected either NAME or --all');
    return await this.withWorkloads(flags, async (context, signal) => {
      const { names, deleted } = await unsetAuthFiles(name, context, signal);
      this.tell([
        ...(names.length === 0 ? ['it was not set'] : names.map((one) => `builds no longer get .${one}`)),
        ...(deleted ? [] : ['warning: the secret store is read-only, so it still has the content']),
      ]);
    });
  }
}
