import { Args } from '@oclif/core';
import type { PolicyReport, UnknownTool } from '@portolan/workload';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { mcpFlags } from '../../command-line/flags/mcp-flags.ts';
import { string, stringArray, strings } from '../../command-line/flags/flag-types.ts';
import { McpCommand } from '../../command-line/mcp-command.ts';
import { printable } from '../../terminal/printable.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { checkPolicies, findUnknownTools } from '@portolan/workload/plan';
import { listTools } from '../../mcp/list-offers.ts';

/** Exit status for invalid settings, and for tools that the workload does not list. */
const INVALID = 2;

export default class AuthzValidate extends McpCommand {
  static override summary = 'Validate policy files, and check their tool names against a running workload';
  static override description =
    'Each FILE has the format of `run --authz-config`. With --workload, the command reports tool names in ' +
    'policies, --tools and --tools-override that the server does not list, each with a suggestion. Without ' +
    'other settings, it checks those of the workload. The exit status is 2 when something is invalid or a ' +
    'tool is not listed.';
  static override usage = 'authz validate [FILES...] [FLAGS]';
  static override examples = [
    '<%= config.bin %> authz validate authz.yaml',
    '<%= config.bin %> authz validate authz.yaml --tools echo,get-sum --workload everything',
    '<%= config.bin %> authz validate --workload everything --format json',
  ];
  static override args = {
    files: Args.string({
      description: 'policy file; repeatable',
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    config: stringArray({
      description: 'alternative to FILE, as in `authz test`; repeatable',
      helpValue: 'FILE',
    }),
    tools: strings({ description: 'tools as in `run --tools`, separated by commas' }),
    'tools-override': string({
      description: 'file that renames tools, as in `run`',
      helpValue: 'FILE',
    }),
    workload: string({
      description: 'running workload whose server must list the tools',
      helpValue: 'NAME',
    }),
    'token-file': mcpFlags['token-file'],
    timeout: mcpFlags.timeout,
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(AuthzValidate);
    const { workload, tools, 'tools-override': toolsOverride } = flags;
    const files = [...(args.files ?? []), ...(flags.config ?? [])];
    if (files.length === 0 && tools === undefined && toolsOverride === undefined && workload === undefined)
      throw badArgument('found nothing to check; expected FILES, --tools, --tools-override or --workload');
    let checked: PolicyReport = { problems: [], warnings: [], tools: [] };
    const status = await this.withWorkloads(
      { debug: flags.debug, settings: 'wanted' },
      async (context, signal) => {
        checked = await checkPolicies({ files, tools, toolsOverride, workload }, context, signal);
      },
    );
    if (status !== 0) return status;
    if (workload === undefined || checked.problems.length > 0)
      return this.#report(checked, [], workload, flags.format);
    const { debug, timeout } = flags;
    const connection = { transport: 'auto', 'token-file': flags['token-file'], debug, timeout } as const;
    let seen: readonly string[] = [];
    const listing = await this.withServer(workload, connection, async (server) => {
      seen = (await listTools(server)).map(({ name }) => name);
    });
    if (listing !== 0) return listing;
    return await this.withWorkloads({ debug, settings: 'wanted' }, async (context) => {
      const unknown = await findUnknownTools(checked.tools, { workload, seen }, context);
      return this.#report(checked, unknown, workload, flags.format);
    });
  }

  #report(
    { problems, warnings }: PolicyReport,
    unknown: readonly UnknownTool[],
    workload: string | undefined,
    format: 'text' | 'json',
  ): number {
    const isValid = problems.length === 0 && unknown.length === 0;
    const lines = [
      ...problems.map(({ place, message }) => `${place}: ${message}`),
      ...warnings.map((warning) => `warning: ${warning}`),
      ...unknown.map(({ tool, place, suggestion }) => {
        const hint = suggestion === null ? '' : `; did you mean ${JSON.stringify(suggestion)}?`;
        return `${place}: ${workload} lists no tool ${JSON.stringify(tool)}${hint}`;
      }),
      ...(isValid
        ? [workload === undefined ? 'no problems' : `no problems; ${workload} lists every tool`]
        : []),
    ];
    this.print(
      format,
      { workload: workload ?? null, problems, warnings, unknown },
      lines.map(printable).join('\n'),
    );
    return isValid ? 0 : INVALID;
  }
}
