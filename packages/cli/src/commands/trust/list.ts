import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { printable } from '../../terminal/printable.ts';
import { listTrust } from '@portolan/workload/trust';

export default class TrustList extends WorkloadCommand {
  static override summary = 'List what registry entries and files are allowed to do';
  static override description =
    'The answer "always" applies to every run of an entry or a file. Permission given once, or by --trust, ' +
    'applies to one workload. `portolan trust revoke NAME` revokes either.';
  static override usage = 'trust list [FLAGS]';
  static override examples = ['<%= config.bin %> trust list', '<%= config.bin %> trust list --format json'];
  static override flags = { format: formatFlag };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(TrustList);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context) => {
      const { accepted, workloads } = await listTrust(context);
      const registries = context.user.trustedRegistries;
      const always = accepted.flatMap(({ author, name, origin, server, grants }) => [
        `${author} ${name} (${origin})${server === '' ? '' : ` with ${server}`}, always`,
        ...grants.map((line) => `  ${line}`),
      ]);
      const once = workloads.flatMap(({ author, name, workload, grants, isAccepted }) => [
        `workload ${workload}, of the ${author} ${name}${isAccepted ? '' : ', revoked'}`,
        ...grants.map(({ line }) => `  ${line}`),
      ]);
      const curated = registries.map((address) => `registry ${address}, every entry`);
      const lines = [...curated, ...always, ...once].map(printable);
      const text = lines.length === 0 ? 'nothing was allowed' : lines.join('\n');
      this.print(flags.format, { registries, accepted, workloads }, text);
    });
  }
}
