import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { ServiceCommand } from '../../command-line/service-command.ts';
import { installService } from '../../service/change-service.ts';

export default class ServiceInstall extends ServiceCommand {
  static override summary = 'Install a service that starts workloads with the machine';
  static override description =
    'On Linux, writes a unit for the systemd of this user, and enables lingering so that it starts with the ' +
    'machine. On macOS, writes a launchd agent. The service runs `portolan service run` with the current ' +
    'environment variables for folders, container engine and proxies. Install it again when one of these, or ' +
    'Node.js, moves.';
  static override examples = ['<%= config.bin %> service install'];
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ServiceInstall);
    return await this.withWorkloads(flags, async (context) => {
      this.tell((await installService(this.context(context, flags.config))).lines);
    });
  }
}
