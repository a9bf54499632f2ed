import { Args } from '@oclif/core';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { printable } from '../../terminal/printable.ts';
import { revokeTrust } from '@portolan/workload/trust';

export default class TrustRevoke extends WorkloadCommand {
  static override summary = 'Revoke what a registry entry, a file or a workload is allowed to do';
  static override description =
    'A running workload keeps its permissions. Its next start asks again, and so does the next run of the ' +
    'entry or file.';
  static override usage = 'trust revoke NAME [FLAGS]';
  static override examples = ['<%= config.bin %> trust revoke io.github.acme/weather'];
  static override args = {
    name: Args.string({
      name: 'NAME',
      description: 'name of an entry or a workload, path or digest of a file',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = { format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(TrustRevoke);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context) => {
      const grants = await revokeTrust(args.name, context);
      const text = grants.map((line) => `revoked: ${printable(line)}`).join('\n');
      this.print(flags.format, { name: args.name, grants }, text);
    });
  }
}
