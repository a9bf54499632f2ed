import { Args } from '@oclif/core';
import { askPasswordOnTerminal } from '../../terminal/ask/ask-password.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { readSecretValue } from '../../terminal/ask/secret-input.ts';
import { tellUsers } from '../../terminal/tell-secret-users.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { checkSecretName, chooseProvider } from '@portolan/workload';
import { setSecret } from '@portolan/workload/secrets';

export default class SecretSet extends WorkloadCommand {
  static override summary = 'Store a secret; the value comes from a pipe or a prompt';
  static override description = 'One final line break of a piped value is removed.';
  static override examples = [
    '<%= config.bin %> secret set weather-key',
    'printf %s "$KEY" | <%= config.bin %> secret set weather-key',
  ];
  static override args = {
    name: Args.string({
      description: 'name of the secret, as in --secret NAME,target=VARIABLE',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(SecretSet);
    return await this.withWorkloads(flags, async (context, signal) => {
      // Fail before the command asks for the value.
      chooseProvider(context);
      checkSecretName(args.name);
      const value = await readSecretValue(args.name, process.stdin, askPasswordOnTerminal(process, signal));
      await setSecret(args.name, value, context, { signal });
      this.tell([`secret ${args.name} is stored`]);
      await tellUsers(args.name, 'gets the new value when it is started again', context, (lines) =>
        this.tell(lines),
      );
    });
  }
}
