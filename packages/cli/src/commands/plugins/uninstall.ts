import { Args } from '@oclif/core';
import { npmFlags, PluginsCommand } from '../../command-line/plugins-command.ts';
import { uninstallPlugin } from '../../plugins/install-plugins.ts';

export default class PluginsUninstall extends PluginsCommand {
  static override summary = 'Uninstall plugins';
  static override examples = ['<%= config.bin %> plugins uninstall @acme/portolan-plugin-wiki'];
  static override aliases = ['plugins:remove', 'plugins:unlink'];
  static override strict = false;
  static override args = {
    plugin: Args.string({
      description: 'name of a plugin, or folder of a linked plugin',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = npmFlags;

  override async run(): Promise<void> {
    const { argv, flags } = await this.parse(PluginsUninstall, this.argumentsOf(PluginsUninstall));
    for (const word of argv) {
      const options = { environment: process.env, verbose: flags.verbose };
      const { name } = await uninstallPlugin(String(word), this.folder, options);
      this.log(`uninstalled ${name}`);
    }
    await this.warnOfMissingStore();
  }
}
