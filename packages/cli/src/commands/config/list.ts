import { boolean } from '../../command-line/flags/flag-types.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { describeDefault } from '../../terminal/describe-default.ts';
import { formatTable } from '../../terminal/format/format-table.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { asksDefaultRegistry } from '@portolan/run-spec';
import { KNOWN_SETTINGS, listSettings } from '@portolan/workload/settings';

export default class ConfigList extends WorkloadCommand {
  static override summary = "List this user's settings";
  static override flags = {
    all: boolean({ char: 'a', description: 'list all settings with their meaning' }),
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ConfigList);
    return await this.withWorkloads(flags, async ({ directories, user }) => {
      if (flags.all === true) {
        const known = KNOWN_SETTINGS.map(({ key, is, description }) => ({
          key: key.replaceAll('*', 'NAME'),
          is,
          description,
        }));
        const lines = known.map(({ key, description }) => [key, description]);
        this.print(flags.format, known, formatTable(['setting', 'meaning'], lines));
        return;
      }
      const settings = await listSettings(directories);
      const rows = settings.map(({ key, value }) => [key, [value].flat().join(', ')]);
      if (asksDefaultRegistry(user)) {
        rows.unshift(['registry_api_url', describeDefault(user.defaultRegistryUrl ?? '')]);
      }
      const values = Object.fromEntries(settings.map(({ key, value }) => [key, value]));
      this.print(
        flags.format,
        asksDefaultRegistry(user) ? { ...values, default_registry_url: user.defaultRegistryUrl } : values,
        rows.length === 0 ? 'Nothing is set' : formatTable(['setting', 'value'], rows),
      );
    });
  }
}
