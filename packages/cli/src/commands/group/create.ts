import { Args } from '@oclif/core';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { createGroup } from '@portolan/workload/groups';

export default class GroupCreate extends WorkloadCommand {
  static override summary = 'Create a group of workloads';
  static override args = {
    name: Args.string({
      description: 'name of the group: lower-case letters, digits, "_", "-", single spaces',
      required: true,
      ignoreStdin: true,
    }),
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(GroupCreate);
    return await this.withWorkloads(flags, async (context) => {
      await createGroup(args.name, context);
      this.tell([`group ${args.name} is created`]);
    });
  }
}
