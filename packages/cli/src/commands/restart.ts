import Start from './start.ts';

export default class Restart extends Start {
  static override summary = 'Restart workloads';
  static override description = 'Starts workloads that are not running.';
  /** Repeated here, because oclif's help does not read it from a class two levels up. */
  static override baseFlags = Start.baseFlags;
  static override usage = 'restart [NAMES...] [FLAGS]';
  static override examples = ['<%= config.bin %> restart weather', '<%= config.bin %> restart --group trial'];

  override async run(): Promise<number> {
    return await this.startNamed(true);
  }
}
