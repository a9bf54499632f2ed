import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { systemFlag } from '../../command-line/flags/system-flag.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { printable } from '../../terminal/printable.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { listSecrets } from '@portolan/workload/secrets';

export default class SecretList extends WorkloadCommand {
  static override summary = 'List the names of secrets, never their values';
  static override flags = { format: formatFlag, system: systemFlag, config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(SecretList);
    return await this.withWorkloads(flags, async (context, signal) => {
      const secrets = await listSecrets(context, { system: flags.system === true, signal });
      const lines = secrets.map(({ name, description }) =>
        printable(description === undefined ? name : `${name} [${description}]`),
      );
      this.print(flags.format, secrets, lines.length === 0 ? 'No secrets found' : lines.join('\n'));
    });
  }
}
