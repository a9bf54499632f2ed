import { PluginsCommand } from '../../command-line/plugins-command.ts';

export default class PluginsReset extends PluginsCommand {
  static override summary = 'Uninstall all plugins and remove all links';
  static override examples = ['<%= config.bin %> plugins reset'];

  override async run(): Promise<void> {
    await this.parse(PluginsReset, this.argumentsOf(PluginsReset));
    await this.folder.empty();
    this.log('uninstalled all plugins');
    await this.warnOfMissingStore();
  }
}
