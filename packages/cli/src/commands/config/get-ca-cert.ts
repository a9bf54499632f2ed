import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class ConfigGetCaCert extends WorkloadCommand {
  static override summary = 'Print the path of the CA certificate that builds trust';

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ConfigGetCaCert);
    return await this.withWorkloads(flags, async ({ user }) => {
      this.log('%s', user.caCertificatePath ?? 'No CA certificate is set');
    });
  }
}
