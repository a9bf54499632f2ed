import type { Command } from '@oclif/core';
import Run from './run.ts';

export default class Plan extends Run {
  static override summary = 'Show what `run` would do, and the origin of each setting';
  static override description =
    'Equivalent to `portolan run --dry-run`. Never shows values of secrets. With --members, also shows the ' +
    'names that clients would see, conflicts between them, and the size of the list of tools.';
  /** Repeated here, because oclif's help does not read it from a class two levels up. */
  static override baseFlags = Run.baseFlags;
  static override usage = 'plan [FLAGS] SERVER_OR_IMAGE_OR_PROTOCOL [-- ARGS...]';
  static override examples: Command.Example[] = [
    '<%= config.bin %> plan npx://@modelcontextprotocol/server-everything',
    '<%= config.bin %> plan ghcr.io/acme/weather-mcp:1 --name weather --format json',
    '<%= config.bin %> plan --members desk.yaml',
  ];

  override async run(): Promise<number> {
    return await this.runServer(true);
  }
}
