import path from 'node:path';
import { Flags } from '@oclif/core';
import { isJsonObject, readSmallFile } from '@portolan/plugin-api';
import type { TriedRequest } from '@portolan/workload';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { formatDenial } from '../../terminal/format/format-denial.ts';
import { printable } from '../../terminal/printable.ts';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { tryAuthorization } from '@portolan/workload/operations';
import { findAmbiguity } from '@portolan/mcp-protocol';

/** Exit status of a denial; 1 and 2 are failures of the command. */
const DENIED = 3;

const METHODS = [
  ['tool', 'tools/call'],
  ['prompt', 'prompts/get'],
  ['resource', 'resources/read'],
] as const satisfies readonly (readonly [string, TriedRequest['method']])[];

/** A JSON object with the text that it was parsed from. */
interface Written {
  readonly text: string;
  readonly members: Readonly<Record<string, unknown>>;
}

export default class AuthzTest extends WorkloadCommand {
  static override summary = 'Test whether policies allow a request of a caller';
  static override description =
    'Evaluates the policies of a file for `run --authz-config`, without a server. The exit status is 0 for an ' +
    'allowed request, 3 for a denied one, and 2 when the request cannot be evaluated.';
  static override examples = [
    `<%= config.bin %> authz test --config authz.yaml --claims '{"sub":"ann"}' --tool forecast`,
    '<%= config.bin %> authz test --config authz.yaml --claims ann.json --tool forecast --args arguments.json',
    `<%= config.bin %> authz test --config authz.yaml --claims '{"sub":"ann"}' --tool github/search_code`,
  ];
  static override flags = {
    config: Flags.string({ required: true, description: 'policy file', helpValue: 'FILE' }),
    claims: Flags.string({
      required: true,
      description: 'claims of the caller, as JSON or a JSON file; `sub` identifies the caller',
      helpValue: 'JSON|FILE',
    }),
    tool: Flags.string({
      description: 'tool to call; MEMBER/NAME for a virtual server',
      helpValue: 'NAME',
    }),
    prompt: Flags.string({
      description: 'prompt to get; MEMBER/NAME for a virtual server',
      helpValue: 'NAME',
    }),
    resource: Flags.string({ description: 'resource to read', helpValue: 'URI' }),
    args: Flags.string({ description: 'arguments, as JSON or a JSON file', helpValue: 'JSON|FILE' }),
    annotations: Flags.string({
      description: 'annotations of the tool, such as {"readOnlyHint":true}, as JSON or a JSON file',
      helpValue: 'JSON|FILE',
    }),
    server: Flags.string({
      description: 'name of the server, MCP::"NAME" in policies',
      helpValue: 'NAME',
      default: 'test',
    }),
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(AuthzTest);
    return await this.withWorkloads({ debug: flags.debug, settings: 'wanted' }, async (context, signal) => {
      const [request, ...others] = METHODS.flatMap(([flag, method]) => {
        const name = flags[flag];
        return name === undefined ? [] : [{ flag, method, name }];
      });
      if (request === undefined || others.length > 0) {
        throw badArgument('expected one of --tool, --prompt and --resource');
      }
      const { flag, method, name } = request;
      if (name === '') throw badArgument(`--${flag}: found an empty value; expected a name or URI`);
      const { workingDirectory } = context;
      const { members: claims } = await readMembers('--claims', flags.claims, workingDirectory);
      const subject = claims['sub'];
      if (typeof subject !== 'string' || subject === '') {
        throw badArgument('--claims: found no sub; expected a string that identifies the caller');
      }
      const { isAllowed, denial, warnings } = await tryAuthorization(
        {
          method,
          name,
          file: flags.config,
          caller: { subject, claims },
          server: flags.server,
          args: await readCallArguments(flags.args ?? '{}', workingDirectory),
          annotations: (await readMembers('--annotations', flags.annotations ?? '{}', workingDirectory))
            .members,
        },
        context,
        signal,
      );
      this.tell(warnings.map((warning) => `warning: ${printable(warning)}`));
      const { because, policy, saw } = denial ?? {};
      const text = denial === undefined ? 'denied' : formatDenial(denial);
      this.print(flags.format, { allowed: isAllowed, because, policy, saw }, isAllowed ? 'allowed' : text);
      return isAllowed ? 0 : DENIED;
    });
  }
}

/**
 * Returns the text of the arguments unchanged. The proxy rejects text that two JSON parsers could read
 * differently, before it evaluates policies.
 */
async function readCallArguments(input: string, workingDirectory: string): Promise<string> {
  const { text } = await readMembers('--args', input, workingDirectory);
  const fault = findAmbiguity(`{"params":{"arguments":${text}}}`);
  if (fault === undefined) return text;
  throw badArgument(
    `--args: ${fault}; expected JSON that all parsers read alike, because the proxy rejects other JSON`,
  );
}

/** Parses a JSON object from the command line, or from a file. */
async function readMembers(flag: string, given: string, workingDirectory: string): Promise<Written> {
  const isText = given.trimStart().startsWith('{');
  let text: string;
  let value: unknown;
  try {
    text = isText ? given : await readSmallFile(path.resolve(workingDirectory, given));
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badArgument(
      `${flag}: found ${isText ? 'no JSON' : 'no JSON file'} (${why}); expected a JSON object`,
    );
  }
  if (!isJsonObject(value)) throw badArgument(`${flag}: expected a JSON object`);
  return { text, members: value };
}
