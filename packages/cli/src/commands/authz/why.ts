import { Args } from '@oclif/core';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { formatDenial } from '../../terminal/format/format-denial.ts';
import { findDenial } from '@portolan/workload/operations';

export default class AuthzWhy extends WorkloadCommand {
  static override summary = 'Explain why a workload denied a request';
  static override description =
    'The error of a denied request contains an id, `denialId`, which is in the audit log too. This command ' +
    'shows the policy that decided or came closest, and the values that it read, with secrets masked. The ' +
    'last 1,000 denials of each workload are kept.';
  static override examples = ['<%= config.bin %> authz why 5f0d6c1e-2f5a-4a41-8f5e-0a6b8d1c7e11'];
  static override args = {
    id: Args.string({ required: true, description: 'denialId of the error response' }),
  };
  static override flags = { config: workloadConfigFlag, format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(AuthzWhy);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context) => {
      const denial = await findDenial(args.id, context);
      this.print(flags.format, denial, formatDenial(denial));
    });
  }
}
