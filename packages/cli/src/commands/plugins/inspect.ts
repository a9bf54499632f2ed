import { Args } from '@oclif/core';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { PluginsCommand } from '../../command-line/plugins-command.ts';
import { findPlugin, readPackage } from '../../plugins/install-plugins.ts';
import { checkInstalledPlugin } from '@portolan/kernel/check-plugin';

export default class PluginsInspect extends PluginsCommand {
  static override summary = 'Show the origin, folder and contents of a plugin';
  static override examples = ['<%= config.bin %> plugins inspect @acme/portolan-plugin-wiki'];
  static override args = {
    plugin: Args.string({ description: 'name of a plugin', required: true, ignoreStdin: true }),
  };
  static override flags = { format: formatFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(PluginsInspect, this.argumentsOf(PluginsInspect));
    const plugin = await findPlugin(args.plugin, this.folder);
    const folder = this.folder.rootOf(plugin);
    const { version, hasCommands } = await readPackage(folder);
    const hasKinds = await checkInstalledPlugin({ specifier: folder, from: folder });
    const from = plugin.url ?? plugin.root ?? `${plugin.name}@${plugin.tag ?? 'latest'}`;
    const facts = { name: plugin.name, version, type: plugin.type, from, folder, hasKinds, hasCommands };
    const text = Object.entries(facts).map(([key, value]) => `${key}: ${String(value)}`);
    this.print(flags.format, facts, text.join('\n'));
  }
}
