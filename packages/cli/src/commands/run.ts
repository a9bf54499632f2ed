import { Args, type Command } from '@oclif/core';
import { isPortolanError } from '@portolan/plugin-api';
import type { Difference, RunOutcome } from '@portolan/workload';
import path from 'node:path';
import { environmentToken } from '../command-line/environment-token.ts';
import type { OpenedContext } from '../context/open-workload-context.ts';
import { toolsOfWorkload } from '../mcp/tools-of-workload.ts';
import { badArgument } from '../terminal/terminal-errors.ts';
import { findForeignWords } from '../foreign-command/foreign-words.ts';
import { isForeignTarget } from '../foreign-command/install-link.ts';
import type { LookupFlags } from '../command-line/flags/lookup-flags.ts';
import { runFlags } from '../command-line/flags/run-flags.ts';
import { startTimeoutOf } from '../command-line/flags/start-flags.ts';
import { contextWithRegistry } from '../command-line/lookup-context.ts';
import { toRunRequest } from '../command-line/to-run-request.ts';
import { StartingCommand } from '../command-line/starting-command.ts';
import {
  refuseForeignWords,
  refuseForeignTarget,
  refuseForeignText,
} from '../foreign-command/refuse-foreign-command.ts';
import { formatMembersPlan } from '../virtual-server/format-members-plan.ts';
import { SupervisorProcess } from '@portolan/workload/supervisor-process';
import { formatPlan } from '../terminal/format/format-plan.ts';

export default class Run extends StartingCommand {
  static override summary = 'Run an MCP server in a container, behind a proxy on this machine';
  static override description =
    'The argument is a server of the registry, a container image, a package (npx://, uvx://, go://; also a ' +
    'local folder: npx://./server), or the URL of a remote server. --from-config runs an exported file, ' +
    '--members and --member-group a virtual server. Words after `--` are arguments of the server. Standard output has only the address; everything else goes to ' +
    'standard error. Ctrl-C before the server is ready undoes everything. Join the value of a boolean flag ' +
    'with `=`: --isolate-network=false.';
  static override usage = 'run [FLAGS] SERVER_OR_IMAGE_OR_PROTOCOL [-- ARGS...]';
  static override examples: Command.Example[] = [
    {
      description: 'an npm package, with a folder that it may read',
      command:
        '<%= config.bin %> run npx://@modelcontextprotocol/server-filesystem -v ./notes:/notes:ro -- /notes',
    },
    {
      description: 'an image, with a variable and a secret',
      command:
        '<%= config.bin %> run ghcr.io/acme/weather-mcp:1 -e REGION=eu --secret weather-key,target=API_KEY',
    },
    {
      description: 'a server of the registry; show what would run',
      command: '<%= config.bin %> run io.github.acme/weather --dry-run',
    },
    {
      description: 'an exported workload',
      command: '<%= config.bin %> run --from-config ./weather.json',
    },
    {
      description: 'a virtual server: many servers at one address',
      command: '<%= config.bin %> run --members desk.yaml',
    },
    {
      description: 'a remote server',
      command:
        '<%= config.bin %> run https://mcp.acme.example/mcp --remote-forward-headers-secret Authorization=acme-token',
    },
  ];
  static override args = {
    server: Args.string({
      name: 'SERVER_OR_IMAGE_OR_PROTOCOL',
      description: 'server of the registry, image, SCHEME://PACKAGE, or URL',
      ignoreStdin: true,
    }),
  };
  static override flags = runFlags;

  override async run(): Promise<number> {
    return await this.runServer(false);
  }

  /** Runs the server of the command line; with `onlyPlan`, shows what it would run. */
  protected async runServer(onlyPlan: boolean): Promise<number> {
    const foreign = findForeignWords(this.argv, { ...Run.baseFlags, ...Run.flags });
    if (foreign !== undefined) {
      refuseForeignWords(foreign, onlyPlan ? 'plan' : 'run');
    }
    const { flags, args, rest } = await this.readArguments(Run, { takesRest: true });
    await this.#refuseForeign(args.server ?? '', onlyPlan);
    requireName(args.server, flags);
    const isPlan = onlyPlan || flags['dry-run'] === true;
    const startTimeoutMs = startTimeoutOf(flags);
    const program = this.supervisorProgram();
    const configFile = flags.config === undefined ? undefined : path.resolve(flags.config);
    const supervisor =
      isPlan || flags.foreground === true
        ? undefined
        : new SupervisorProcess({ program, environment: process.env, configFile, isDebug: flags.debug });
    let input: string | undefined;
    try {
      // Loaded while the supervisor loads its own modules, which saves time.
      const { checkRequest, runWorkload } = await import('@portolan/workload/run');
      const request = toRunRequest(args.server, flags, rest, process.env);
      // Report mistakes before loading plugins.
      await checkRequest(request);
      return await this.withWorkloads({ ...flags, needsKinds: true }, async (opened, signal) => {
        const context = {
          ...(await contextWithRegistry(flags, opened, signal)),
          readInput: async (aborted: AbortSignal) => (input = (await opened.readInput?.(aborted)) ?? ''),
        };
        if (isPlan) {
          const { planRun } = await import('@portolan/workload/plan');
          const plan = await planRun(request, context, signal, { listTools: await toolLister(context) });
          const virtual = plan.virtual_server;
          const sections = virtual === undefined ? [] : formatMembersPlan(virtual);
          this.print(flags.format, plan, formatPlan(plan, sections));
          return 0;
        }
        const progress = this.progress();
        let difference: Difference | undefined;
        const observer = this.observer(
          progress,
          ({ url, status }) => {
            if (flags.foreground === true) this.print(flags.format, { url, status }, url);
          },
          flags.debug,
        );
        try {
          const outcome = await runWorkload(
            request,
            context,
            {
              observer: {
                ...observer,
                difference: (found) => {
                  difference = found;
                  observer.difference?.(found);
                },
              },
              program,
              detachEarly: flags['detach-early'] === true,
              foreground: flags.foreground === true,
              startTimeoutMs,
              replace: flags.replace === true,
              acceptsLoss: flags.yes === true,
              trust: flags.trust,
              configFile,
              supervisor,
            },
            signal,
          );
          progress.clear();
          return this.#report(outcome, flags.format, difference);
        } catch (error) {
          if (flags.format === 'json') this.#printReason(error, difference);
          throw error;
        } finally {
          progress.clear();
        }
      });
    } catch (error) {
      const isFile = isPortolanError(error) && error.code.startsWith('ERR_RUN_CONFIG');
      if (isFile) await this.#refuseForeign(flags['from-config'] ?? '', onlyPlan, true, input);
      throw error;
    } finally {
      await supervisor?.end();
    }
  }

  /**
   * Throws ERR_FOREIGN_COMMAND when a target, or a file of `--from-config`, is the configuration of an MCP
   * client. `input` is the text of standard input if the command has already read it.
   */
  async #refuseForeign(target: string, onlyPlan: boolean, isFile = false, input?: string): Promise<void> {
    if (!isFile && !isForeignTarget(target)) return;
    const flags = this.argv.includes('--') ? this.argv.slice(0, this.argv.indexOf('--')) : this.argv;
    const own = flags.filter(
      (word, at) => word !== target && !word.startsWith('--from-config') && flags[at - 1] !== '--from-config',
    );
    const typed = { command: onlyPlan ? 'plan' : 'run', own };
    if (input === undefined) await refuseForeignTarget(target, typed, process.stdin);
    else await refuseForeignText(input, 'on standard input', typed);
  }

  /**
   * Prints on standard output, for programs, why a run was refused; the error message goes to standard error.
   */
  #printReason(error: unknown, difference: Difference | undefined): void {
    if (!isPortolanError(error)) return;
    const { code } = error;
    if (code === 'ERR_PROTECTION_LOST') this.print('json', { code, ...difference }, '');
    if (code === 'ERR_CONSENT_NEEDED' && 'grants' in error)
      this.print('json', { code, grants: error.grants }, '');
  }

  #report(outcome: RunOutcome, format: string, difference: Difference | undefined): number {
    if (outcome.outcome === 'ended') return outcome.exitCode;
    if (outcome.outcome === 'ready') {
      const { name, url, instance, status } = outcome;
      const changed = difference === undefined ? {} : { changes: difference.changes, lost: difference.lost };
      this.print(format, { name, url, instance, status, ...changed }, url);
    } else if (format === 'json') this.print(format, { name: outcome.name, status: 'starting' }, '');
    else this.tell([`${outcome.name} is starting; see \`portolan status ${outcome.name}\``]);
    return 0;
  }
}

/** Returns a function that lists the tools of running workloads, with the token of the environment. */
async function toolLister(
  context: OpenedContext,
): Promise<(workload: string, signal: AbortSignal) => ReturnType<typeof toolsOfWorkload>> {
  const token = await environmentToken(process.env);
  return async (workload, signal) => await toolsOfWorkload(workload, token, context, signal);
}

/** Throws ERR_BAD_ARGUMENT for registry flags with a target that is not a registry entry. */
function requireName(target: string | undefined, flags: LookupFlags): void {
  const [flag] = (['url', 'token-file'] as const).filter((name) => flags[name] !== undefined);
  if (flag === undefined) return;
  if (target !== undefined && !/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return;
  const match = target === undefined ? 'no server name' : target;
  throw badArgument(
    `--${flag} applies to the registry of a named server: found ${match}; expected \`portolan run NAME --${flag} …\`. Run a remote server without the flag: \`portolan run URL\``,
  );
}
