import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { ServiceCommand } from '../../command-line/service-command.ts';
import { installService } from '../../service/change-service.ts';

export default class ServiceInstall extends ServiceCommand {
  static override summary = 'Have workloads come back after a restart of the machine';
  static override description =
    'Writes a unit for the systemd of this user, and has it started with the machine (lingering); on macOS, an agent ' +
    'of launchd. It starts `portolan service run`, with what now stands in the environment about folders, engine and ' +
    'proxies. Install it again when one of these, or Node.js, has moved.';
  static override examples = ['<%= config.bin %> service install'];
  static override flags = { config: workloadConfigFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ServiceInstall);
    return await this.withWorkloads(flags, async (context) => {
      this.tell((await installService(this.surroundings(context, flags.config))).lines);
    });
  }
}
