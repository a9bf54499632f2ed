import type { AuthFileName } from '@portolan/plugin-api';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { optionalAuthFile } from '../../command-line/flags/auth-file-argument.ts';
import { boolean } from '../../command-line/flags/flag-types.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import type { OpenedContext } from '../../context/open-workload-context.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { requireAuthFile, readAuthFile } from '@portolan/workload/settings';

export default class ConfigGetBuildAuthFile extends WorkloadCommand {
  static override summary = 'List the credentials files of package builds';
  static override args = optionalAuthFile;
  static override flags = {
    'show-content': boolean({ description: 'print the content of the file; needs NAME' }),
    format: formatFlag,
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigGetBuildAuthFile);
    // SAFETY: the parser rejects other names.
    const name = args.file as AuthFileName | undefined;
    const shows = flags['show-content'] === true;
    if (shows && name === undefined) throw badArgument('--show-content needs the name of a file');
    return await this.withWorkloads(flags, async (context, signal) => {
      if (name !== undefined && shows) {
        await this.#show(name, flags.format, context, signal);
        return;
      }
      if (name !== undefined) requireAuthFile(context.user.build, name);
      const names = context.user.build.authFiles.filter((one) => name === undefined || one === name);
      this.print(flags.format, names, names.length === 0 ? 'No files are set' : names.join('\n'));
    });
  }

  async #show(
    name: AuthFileName,
    format: string,
    context: OpenedContext,
    signal: AbortSignal,
  ): Promise<void> {
    const content = await readAuthFile(name, context, signal);
    this.print(format, { name, content }, content.replace(/\n$/, ''));
  }
}
