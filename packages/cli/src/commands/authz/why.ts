import { Args } from '@oclif/core';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { formatDenial } from '../../terminal/format/format-denial.ts';
import { findDenial } from '@portolan/workload/operations';

export default class AuthzWhy extends WorkloadCommand {
  static override summary = 'Explain why a workload has denied something';
  static override description =
    'Whoever is denied learns an id, as denialId in the error; it stands in the audit line as well. This names the ' +
    'policy that has decided or came closest, and the values that it saw, secrets masked. Of each workload the last ' +
    '1,000 denials are kept.';
  static override examples = ['<%= config.bin %> authz why 5f0d6c1e-2f5a-4a41-8f5e-0a6b8d1c7e11'];
  static override args = { id: Args.string({ required: true, description: 'denialId of the answer' }) };
  static override flags = { config: workloadConfigFlag, format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(AuthzWhy);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context) => {
      const denial = await findDenial(args.id, context);
      this.print(flags.format, denial, formatDenial(denial));
    });
  }
}
