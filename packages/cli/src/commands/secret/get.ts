import { Args } from '@oclif/core';
import { systemFlag } from '../../command-line/flags/system-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { getSecret } from '@portolan/workload/secrets';

export default class SecretGet extends WorkloadCommand {
  static override summary = 'Print the value of a secret';
  static override args = {
    name: Args.string({ description: 'name of the secret', required: true, ignoreStdin: true }),
  };
  static override flags = { system: systemFlag, config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(SecretGet);
    return await this.withWorkloads(flags, async (context, signal) => {
      this.log('%s', await getSecret(args.name, context, { system: flags.system === true, signal }));
    });
  }
}
