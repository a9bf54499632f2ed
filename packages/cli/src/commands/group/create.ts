import { Args } from '@oclif/core';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class GroupCreate extends WorkloadCommand {
  static override summary = 'Make a group of workloads';
  static override args = {
    name: Args.string({
      description: 'small letters, digits, "_", "-", single spaces',
      required: true,
      ignoreStdin: true,
    }),
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(GroupCreate);
    return await this.withWorkloads(flags, async (context) => {
      const { createGroup } = await import('@portolan/workload');
      await createGroup(args.name, context);
      this.tell([`group ${args.name} is made`]);
    });
  }
}
