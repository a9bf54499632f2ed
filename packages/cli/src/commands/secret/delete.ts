import { Args } from '@oclif/core';
import { systemFlag } from '../../command-line/flags/system-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { tellUsers } from '../../terminal/tell-secret-users.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { deleteSecret } from '@portolan/workload/secrets';

export default class SecretDelete extends WorkloadCommand {
  static override summary = 'Delete a secret';
  static override args = {
    name: Args.string({ description: 'name of the secret', required: true, ignoreStdin: true }),
  };
  static override flags = { system: systemFlag, config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(SecretDelete);
    return await this.withWorkloads(flags, async (context, signal) => {
      await deleteSecret(args.name, context, { system: flags.system === true, signal });
      this.tell([`secret ${args.name} is deleted`]);
      await tellUsers(args.name, 'cannot be started again without it', context, (lines) => this.tell(lines));
    });
  }
}
