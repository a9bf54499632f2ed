import { askOnTerminal } from '../../terminal/ask/ask-user.ts';
import { terminalNeeded } from '../../terminal/terminal-errors.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { chooseSecretsProvider } from '@portolan/workload/secrets';

export default class SecretSetup extends WorkloadCommand {
  static override summary = 'Choose the secret store interactively';
  static override description = 'Scripts use `portolan secret provider TYPE`, which does not prompt.';
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(SecretSetup);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const ask = askOnTerminal(process, { clear: () => undefined });
      const choices = context.kinds.secretStores;
      if (ask === undefined) {
        throw terminalNeeded(`\`portolan secret provider\` with one of ${choices.join(', ')}`);
      }
      const about = { isSecret: false, placeholder: undefined, description: undefined };
      const provider = await ask({ ...about, name: 'Which secret store?', choices }, signal);
      await chooseSecretsProvider(provider, context, signal);
      this.tell([`the secret store is ${provider}`]);
    });
  }
}
