import { workloadName } from '../../command-line/flags/choice-flags.ts';
import { string } from '../../command-line/flags/flag-types.ts';
import { workloadConfigFlag } from '../../command-line/flags/workload-config-flag.ts';
import { environmentToken } from '../../command-line/environment-token.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { STANDARD_INPUT } from '../../terminal/read-input.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { reachWorkload } from '@portolan/workload/operations';
import { readToken } from '../../command-line/read-token.ts';
import { enlargeHeap } from '../../supervisor/heap-limit.ts';
import { serveStdioClient } from '@portolan/mcp-client';

export default class ProxyStdio extends WorkloadCommand {
  static override summary = 'Expose a workload on standard input and output, for stdio clients';
  static override description =
    'A client starts this command like a server. Standard output has only messages of the protocol. The ' +
    'session ends with standard input. The command reconnects to a workload that restarts. While the workload ' +
    'is stopped, requests get an error response that says so.';
  static override examples = ['<%= config.bin %> proxy stdio weather'];
  static override args = workloadName;
  static override flags = {
    'token-file': string({
      description:
        'file with an access token for a workload that authenticates callers; read again after a refusal',
      helpValue: 'FILE',
    }),
    config: workloadConfigFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ProxyStdio);
    const file = flags['token-file'];
    if (file === STANDARD_INPUT)
      throw badArgument('--token-file: found `-`, but standard input carries the messages; expected a file');
    const ambient = await environmentToken(process.env);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      const tokenFor = async (asksCallers: boolean): Promise<string | undefined> => {
        if (file !== undefined) return await readToken(file, process.stdin);
        return asksCallers ? ambient : undefined;
      };
      const findTarget = async () => {
        const { url, transport, asksCallers, endpointPrefix } = await reachWorkload(args.name, context);
        const token = await tokenFor(asksCallers);
        const headers: Record<string, string> =
          token === undefined ? {} : { Authorization: `Bearer ${token}` };
        return { url: new URL(url), transport, endpointPrefix, headers };
      };
      // Report an unknown workload now, because the client that starts this command shows no later messages.
      await findTarget().catch((error: unknown) => {
        if (error instanceof Error) this.tell([`note: ${error.message}`]);
      });
      enlargeHeap();
      await serveStdioClient(
        {
          input: process.stdin,
          output: process.stdout,
          findTarget,
          name: args.name,
          tell: (line) => this.tell([line]),
          signal,
        },
        this.config.version,
      );
      signal.throwIfAborted();
    });
  }
}
