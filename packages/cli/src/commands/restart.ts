import Start from './start.ts';

export default class Restart extends Start {
  static override summary = 'Stop workloads that run, and start them again';
  static override description = 'A workload that does not run is started.';
  /** Repeated here, because oclif's help does not read it from a class two levels up. */
  static override baseFlags = Start.baseFlags;
  static override usage = 'restart [NAMES...] [FLAGS]';
  static override examples = ['<%= config.bin %> restart weather', '<%= config.bin %> restart --group trial'];

  override async run(): Promise<number> {
    return await this.startNamed(true);
  }
}
