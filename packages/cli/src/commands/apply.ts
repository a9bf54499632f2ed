import path from 'node:path';
import type { ApplyPlan, RunObserver } from '@portolan/workload';
import { applyFile, isChanging, planWorkloads, readWorkloadsFile } from '@portolan/workload/run';
import { boolean, strings } from '../command-line/flags/flag-types.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { lookupFlags } from '../command-line/flags/lookup-flags.ts';
import {
  gatewayImageFlag,
  startTimeoutOf,
  startTimeoutFlag,
  trustFlag,
} from '../command-line/flags/start-flags.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { workloadsFileFlag } from '../command-line/flags/workloads-file-flags.ts';
import { contextWithRegistry } from '../command-line/lookup-context.ts';
import { StartingCommand } from '../command-line/starting-command.ts';
import type { OpenedContext } from '../context/open-workload-context.ts';
import { confirm } from '../terminal/ask/confirm.ts';
import { applyFromClients } from '../from-clients/apply-from-clients.ts';
import { describeMoved, formatMoving, movingDocument } from '../from-clients/format-moving.ts';
import { badArgument } from '../terminal/terminal-errors.ts';
import { applyPlanDocument, formatApplyPlan, resultDocument } from '../workloads-file/format-apply-plan.ts';
import { type ApplyReport, reportApplied, reportFailing } from '../workloads-file/report-applied.ts';

export default class Apply extends StartingCommand {
  static override summary = 'Run the workloads of a file, and update those that differ from it';
  static override description =
    'Shows one plan for all workloads of the file, asks, and applies it to several workloads at once. Only ' +
    'workloads that differ from the file are restarted. A workload that fails does not stop the others, and runs ' +
    'again with its earlier settings. --prune also removes workloads that an earlier `apply` of a file with the ' +
    'same `name` created and that the file no longer has; their named volumes stay. --from-clients moves servers ' +
    'that MCP clients start themselves into workloads; their secrets go into the secret store.';
  static override usage = ['apply -f FILE [FLAGS]', 'apply --from-clients CLIENT [--replace] [FLAGS]'];
  static override examples = [
    '<%= config.bin %> apply -f workloads.yaml',
    '<%= config.bin %> apply -f workloads.yaml --prune --yes',
    '<%= config.bin %> apply -f workloads.yaml --dry-run --format json',
    '<%= config.bin %> apply --from-clients cursor --replace',
  ];
  static override flags = {
    file: workloadsFileFlag,
    prune: boolean({
      description:
        'remove workloads that an earlier apply of the file created and that the file no longer has',
      fallback: 'false',
    }),
    'from-clients': strings({
      description:
        'in place of -f: run the servers in the files of these MCP clients; ids of `portolan client list`, or all',
      helpValue: 'CLIENT,CLIENT',
    }),
    replace: boolean({
      description:
        'with --from-clients: replace the servers in the files of the clients by the addresses of the workloads',
      fallback: 'false',
    }),
    'dry-run': boolean({ description: 'show the plan and change nothing', fallback: 'false' }),
    yes: boolean({ char: 'y', description: 'apply the plan without a question', fallback: 'false' }),
    'start-timeout': startTimeoutFlag,
    'gateway-image': gatewayImageFlag,
    trust: trustFlag,
    ...lookupFlags,
    config: workloadConfigFlag,
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(Apply);
    const startTimeoutMs = startTimeoutOf(flags);
    refuseMixed(flags);
    const { file, 'from-clients': clients = [] } = flags;
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (opened, signal) => {
      const context = await contextWithRegistry(flags, opened, signal);
      if (file === undefined) await this.#moveServers(clients, flags, context, startTimeoutMs, signal);
      else await this.#applyFile(file, flags, context, startTimeoutMs, signal);
    });
  }

  async #moveServers(
    clients: readonly string[],
    flags: ApplyFlagValues,
    context: OpenedContext,
    startTimeoutMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { plan, moving, results, files, warnings } = await applyFromClients(
      {
        ...this.#options(flags, startTimeoutMs),
        clients,
        replaces: flags.replace === true,
        dryRun: flags['dry-run'] === true,
        confirm: async (planned, moves) => await this.#confirm(planned, flags, formatMoving(planned, moves)),
      },
      context,
      signal,
    );
    if (results === undefined) {
      this.print(
        flags.format,
        { ...applyPlanDocument(plan), ...movingDocument(moving) },
        formatMoving(plan, moving),
      );
      reportFailing(plan);
      return;
    }
    if (flags.format === 'json')
      this.print(
        'json',
        { ...resultDocument(plan, results), ...movingDocument(moving), files, warnings },
        '',
      );
    this.tell(warnings.map((warning) => `warning: ${warning}`));
    this.tell(describeMoved(moving, results, files));
    reportApplied(results, this.#report(flags));
  }

  async #applyFile(
    file: string,
    flags: ApplyFlagValues,
    context: OpenedContext,
    startTimeoutMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const source = await readWorkloadsFile(file, context, signal);
    const prune = flags.prune === true;
    if (flags['dry-run'] === true) {
      const plan = await planWorkloads(source, context, { prune }, signal);
      this.print(flags.format, applyPlanDocument(plan), formatApplyPlan(plan));
      reportFailing(plan);
      return;
    }
    const { plan, results } = await applyFile(
      source,
      context,
      {
        ...this.#options(flags, startTimeoutMs),
        prune,
        reread: async () => (file === '-' ? source : await readWorkloadsFile(file, context, signal)),
        confirm: async (planned) => await this.#confirm(planned, flags, formatApplyPlan(planned)),
      },
      signal,
    );
    if (flags.format === 'json') this.print('json', resultDocument(plan, results), '');
    reportApplied(results, this.#report(flags));
  }

  /** Shows the plan on standard error, and asks unless the plan changes nothing. */
  async #confirm(plan: ApplyPlan, { yes, replace }: ApplyFlagValues, text: string): Promise<void> {
    this.tell(text.split('\n'));
    if (yes === true || !(plan.workloads.some(isChanging) || replace === true)) return;
    const terminal = { input: process.stdin, output: process.stderr };
    await confirm('Apply this plan? Type yes: ', ['y', 'yes'], terminal);
  }

  #options(flags: ApplyFlagValues, startTimeoutMs: number) {
    const asks = flags.yes !== true;
    return {
      observerOf: this.#observers(flags.debug),
      program: this.supervisorProgram(),
      startTimeoutMs,
      trust: flags.trust,
      configFile: flags.config === undefined ? undefined : path.resolve(flags.config),
      asks,
      acceptsGrants: asks,
    };
  }

  #report({ debug }: ApplyFlagValues): ApplyReport {
    return { debug, tell: (lines) => this.tell(lines) };
  }

  /** Returns a function that returns the observer of a workload, without the changes that the plan has shown. */
  #observers(debug: boolean): (name: string) => RunObserver {
    const observers = new Map<string, RunObserver>();
    return (name) => {
      const known = observers.get(name);
      if (known !== undefined) return known;
      const observer: RunObserver = {
        ...this.observer(this.progress(name), () => undefined, debug),
        difference: () => undefined, // the plan has shown it
      };
      observers.set(name, observer);
      return observer;
    };
  }
}

/** Throws ERR_BAD_ARGUMENT unless the flags name either a file or clients, with flags that apply to it. */
function refuseMixed({ file, prune, replace, 'from-clients': clients }: ApplyFlagValues): void {
  if ((file === undefined) === (clients === undefined)) {
    const actual = file === undefined ? 'no file and no clients' : '-f and --from-clients';
    throw badArgument(`apply: found ${actual}; expected -f FILE or --from-clients CLIENT`);
  }
  if (prune === true && file === undefined)
    throw badArgument('--prune: found --from-clients; expected -f FILE, which names the workloads that stay');
  if (replace === true && clients === undefined)
    throw badArgument('--replace: found -f FILE; expected --from-clients, whose entries it replaces');
}

interface ApplyFlagValues {
  readonly file?: string | undefined;
  readonly 'from-clients'?: readonly string[] | undefined;
  readonly replace: boolean | undefined;
  readonly prune: boolean | undefined;
  readonly 'dry-run': boolean | undefined;
  readonly yes: boolean | undefined;
  readonly trust: boolean | undefined;
  readonly config?: string | undefined;
  readonly debug: boolean;
  readonly format: string;
}
