import { Args } from '@oclif/core';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { boolean } from '../../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { readFault, readInput } from '../../terminal/read-input.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { importSecrets } from '@portolan/workload/secrets';

const MAX_BYTES = 33 * 1024 * 1024;

export default class SecretImport extends WorkloadCommand {
  static override summary = 'Import the secrets of a ToolHive file secrets_encrypted';
  static override description =
    'The password is that of TOOLHIVE_SECRETS_PASSWORD, else of the keyring, else of a prompt. Existing ' +
    'secrets are kept, unless --replace is given. The file is not changed.';
  static override args = {
    file: Args.string({ description: 'file to import', required: true, ignoreStdin: true }),
  };
  static override flags = {
    replace: boolean({ description: 'overwrite secrets of the same name' }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(SecretImport);
    const content = await readInput(args.file, process.stdin, MAX_BYTES).catch((error: unknown) => {
      throw badArgument(`${args.file} cannot be imported: ${readFault(error)}`);
    });
    if (content === undefined) throw badArgument(`${args.file} cannot be imported: it is too long`);
    return await this.withWorkloads(flags, async (context, signal) => {
      const replace = flags.replace === true;
      const { imported, kept } = await importSecrets(content, context, { replace, signal });
      this.tell([
        `${imported.length} imported`,
        ...kept.map((name) => `warning: ${name} already exists and was not changed`),
      ]);
    });
  }
}
