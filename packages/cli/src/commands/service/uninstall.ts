import { ServiceCommand } from '../../command-line/service-command.ts';
import { uninstallService } from '../../service/change-service.ts';

export default class ServiceUninstall extends ServiceCommand {
  static override summary = 'Remove the service; running workloads continue';
  static override examples = ['<%= config.bin %> service uninstall'];

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ServiceUninstall);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context) => {
      this.tell((await uninstallService(this.context(context))).lines);
    });
  }
}
