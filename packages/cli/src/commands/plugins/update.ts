import { Args } from '@oclif/core';
import { installFlags, PluginsCommand } from '../../command-line/plugins-command.ts';
import { findPlugin, installPlugin } from '../../plugins/install-plugins.ts';

export default class PluginsUpdate extends PluginsCommand {
  static override summary = 'Update the named plugins, or all installed ones';
  static override description =
    'Reinstalls each plugin from its origin, with the same checks. Linked plugins stay unchanged.';
  static override examples = ['<%= config.bin %> plugins update'];
  static override strict = false;
  static override args = {
    plugin: Args.string({ description: 'name of a plugin', ignoreStdin: true }),
  };
  static override flags = installFlags;

  override async run(): Promise<void> {
    const { argv, flags } = await this.parse(PluginsUpdate, this.argumentsOf(PluginsUpdate));
    const named = await Promise.all(argv.map((word) => findPlugin(String(word), this.folder)));
    const plugins = argv.length === 0 ? await this.folder.list() : named;
    for (const { name, type, url, tag } of plugins) {
      if (type === 'link') continue;
      const updated = await installPlugin(url ?? `${name}@${tag ?? 'latest'}`, this.folder, {
        environment: process.env,
        allowScripts: flags['allow-scripts'],
        verbose: flags.verbose,
      });
      this.report('updated', updated);
    }
    await this.warnOfMissingStore();
  }
}
