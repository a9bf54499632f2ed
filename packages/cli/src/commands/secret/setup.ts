import { askOnTerminal } from '../../terminal/ask/ask-user.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { chooseSecretsProvider } from '@portolan/workload/secrets';

export default class SecretSetup extends WorkloadCommand {
  static override summary = 'Choose where secrets are kept, by answering a question';
  static override description = 'Scripts use `portolan secret provider TYPE`, which asks nothing.';
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(SecretSetup);
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      const ask = askOnTerminal(process, { clear: () => undefined });
      const choices = context.kinds.secretStores;
      if (ask === undefined) {
        throw badArgument(
          `nobody can be asked; use \`portolan secret provider\` with one of ${choices.join(', ')}`,
        );
      }
      const about = { isSecret: false, placeholder: undefined, description: undefined };
      const provider = await ask({ ...about, name: 'Where are secrets to be kept?', choices }, signal);
      await chooseSecretsProvider(provider, context, signal);
      this.tell([`secrets are kept by ${provider}`]);
    });
  }
}
