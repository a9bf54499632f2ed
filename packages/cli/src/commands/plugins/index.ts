import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { PluginsCommand } from '../../command-line/plugins-command.ts';
import { readPackage } from '../../plugins/install-plugins.ts';

export default class Plugins extends PluginsCommand {
  static override summary = 'Manage plugins; without a subcommand, list them';
  static override examples = ['<%= config.bin %> plugins'];
  static override flags = { format: formatFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Plugins, this.argumentsOf(Plugins));
    const plugins = await Promise.all(
      (await this.folder.list()).map(async (plugin) => {
        const root = this.folder.rootOf(plugin);
        // files are missing: the plugin is listed without a version
        const facts = await readPackage(root).catch(() => undefined);
        return { name: plugin.name, version: facts?.version ?? null, type: plugin.type, folder: root };
      }),
    );
    const lines = plugins.map(
      ({ name, version, type, folder }) =>
        `${name} ${version ?? '(files missing)'}${type === 'link' ? ` (linked: ${folder})` : ''}`,
    );
    this.print(flags.format, plugins, lines.length === 0 ? 'no plugins installed' : lines.join('\n'));
  }
}
