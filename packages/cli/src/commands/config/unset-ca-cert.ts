import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { updateUserConfig } from '@portolan/workload/settings';

export default class ConfigUnsetCaCert extends WorkloadCommand {
  static override summary = 'Remove the CA certificate that builds trust';

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ConfigUnsetCaCert);
    return await this.withWorkloads(flags, async ({ directories }, signal) => {
      await updateUserConfig(directories, [{ path: ['ca_certificate_path'] }], signal);
      this.tell(['no CA certificate is set']);
    });
  }
}
