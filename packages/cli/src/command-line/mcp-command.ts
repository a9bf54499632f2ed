import { openServer, type OpenServer } from '../mcp/open-server.ts';
import { findServer, type McpTransport } from '../mcp/find-server.ts';
import type { Part } from '../mcp/contents.ts';
import { badArgument } from '../terminal/terminal-errors.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { readInput, STANDARD_INPUT } from '../terminal/read-input.ts';
import type { OpenedContext } from '../context/open-workload-context.ts';
import { environmentToken } from './environment-token.ts';
import { WorkloadCommand } from './workload-command.ts';
import { readToken } from './read-token.ts';
import { safeJson, printParts } from '../mcp/print-parts.ts';
import { askForm } from '../mcp/ask-form.ts';

export interface McpFlagValues {
  readonly transport: McpTransport;
  readonly 'token-file'?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly timeout?: number | undefined;
  readonly 'ca-cert'?: string | undefined;
  readonly 'allow-insecure'?: boolean | undefined;
  readonly config?: string | undefined;
  readonly debug?: boolean | undefined;
}

const TIMEOUT_MS = 60_000;
/** Maximum timeout in milliseconds, within the range of a timer. */
const MAX_TIMEOUT_MS = 24 * 3_600_000;
const MAX_ARGUMENT_BYTES = 16 * 1024 * 1024;

export abstract class McpCommand extends WorkloadCommand {
  /**
   * Runs work with a session of the named server, and ends the session in any case. Returns the exit status.
   */
  protected async withServer(
    named: string,
    flags: McpFlagValues,
    work: (server: OpenServer, context: OpenedContext) => Promise<number | void>,
  ): Promise<number> {
    const timeoutMs = flags.timeout ?? TIMEOUT_MS;
    if (timeoutMs <= 0 || timeoutMs > MAX_TIMEOUT_MS)
      throw badArgument('--timeout: expected a duration above 0 and at most 24h');
    const file = flags['token-file'];
    const token = file === undefined ? undefined : await readToken(file, process.stdin);
    const ambientToken = await environmentToken(process.env);
    const caFile = flags['ca-cert'];
    const ca =
      caFile === undefined
        ? undefined
        : await (await import('./read-authorities.ts')).readAuthorities(caFile);
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      const mcpServer = await findServer(
        {
          named,
          transport: flags.transport,
          token,
          ambientToken,
          headers: flags.header ?? [],
          allowInsecure: flags['allow-insecure'] === true,
        },
        context,
      );
      const line = new ProgressLine(process.stderr);
      const observer = {
        progress: (text: string) => line.show(text),
        tell: (lines: readonly string[]) => line.print(lines),
        tellsLogs: flags.debug === true,
        askForm: formAsker(line),
      };
      const options = { version: this.config.version, timeoutMs, ca, observer };
      const server = await openServer(mcpServer, options, context, signal);
      try {
        return (await work(server, context)) ?? 0;
      } finally {
        line.clear();
        await server.close();
      }
    });
  }

  protected async readJsonArguments(input: string | undefined): Promise<string | undefined> {
    if (input !== STANDARD_INPUT) return input;
    const bytes = await readInput(STANDARD_INPUT, process.stdin, MAX_ARGUMENT_BYTES);
    if (bytes === undefined) throw badArgument('--args: standard input is too long; expected at most 16 MiB');
    return bytes.toString('utf8');
  }

  protected async printJson(value: unknown): Promise<void> {
    this.log(safeJson(value));
  }

  /** Prints the parts of a result; those of a failed call go to standard error. */
  protected async printAnswer(
    parts: readonly Part[],
    { output, failed = false }: { readonly output?: string | undefined; readonly failed?: boolean },
  ): Promise<void> {
    const stream = failed ? process.stderr : process.stdout;
    await printParts(parts, {
      isTerminal: stream.isTTY,
      write: (data) => void stream.write(data),
      tell: (lines) => this.tell(lines),
      file: failed ? undefined : output,
    });
  }
}

/**
 * Returns a function that asks the user. Undefined without a terminal, so that the client does not declare
 * the capability `elicitation`.
 */
function formAsker(line: ProgressLine) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (
    ...[server, form, signal]: Parameters<NonNullable<import('../mcp/open-server.ts').McpObserver['askForm']>>
  ) => {
    line.clear();
    const interrupt = (): void => void process.kill(process.pid, 'SIGINT');
    return await askForm(server, form, { input: process.stdin, output: process.stderr, interrupt }, signal);
  };
}
