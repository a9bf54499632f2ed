import { Args } from '@oclif/core';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { chooseProvider } from '@portolan/workload';
import { chooseSecretsProvider } from '@portolan/workload/secrets';

export default class SecretProvider extends WorkloadCommand {
  static override summary = 'Set the secret store; without TYPE, print the current one';
  static override description =
    'TYPE is encrypted (a file of this user), 1password, environment (variables PORTOLAN_SECRET_NAME), or the ' +
    'store of a plugin. The command tests the store first. It moves no secrets from one store to another.';
  static override examples = [
    '<%= config.bin %> secret provider encrypted',
    '<%= config.bin %> secret provider',
  ];
  static override args = {
    type: Args.string({ description: 'secret store', ignoreStdin: true }),
  };
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(SecretProvider);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      if (args.type === undefined) {
        this.log(chooseProvider(context));
        return;
      }
      await chooseSecretsProvider(args.type, context, signal);
      this.tell([`the secret store is ${args.type}`]);
    });
  }
}
