import { ServiceCommand } from '../../command-line/service-command.ts';

export default class ServiceUninstall extends ServiceCommand {
  static override summary = 'No longer have workloads come back; those that run go on';
  static override examples = ['<%= config.bin %> service uninstall'];

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ServiceUninstall);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context) => {
      const { uninstallService } = await import('../../service/change-service.ts');
      this.tell((await uninstallService(this.surroundings(context))).lines);
    });
  }
}
