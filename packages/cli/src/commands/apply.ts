import path from 'node:path';
import type { AppliedWorkload, ApplyPlan, RunObserver } from '@portolan/workload';
import { applyFile, isChanging, planWorkloads, readWorkloadsFile } from '@portolan/workload/run';
import { boolean } from '../command-line/flags/flag-types.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';
import { lookupFlags } from '../command-line/flags/lookup-flags.ts';
import {
  gatewayImageFlag,
  START_TIMEOUT_MS,
  startTimeoutFlag,
  trustFlag,
} from '../command-line/flags/start-flags.ts';
import { workloadConfigFlag } from '../command-line/flags/workload-config-flag.ts';
import { workloadsFileFlag } from '../command-line/flags/workloads-file-flags.ts';
import { contextWithRegistry } from '../command-line/lookup-context.ts';
import { StartingCommand } from '../command-line/starting-command.ts';
import type { OpenedContext } from '../context/open-workload-context.ts';
import { confirm } from '../terminal/ask/confirm.ts';
import { badArgument } from '../terminal/terminal-errors.ts';
import { applyPlanDocument, formatApplyPlan, workloadDocument } from '../workloads-file/format-apply-plan.ts';
import { reportApplied, reportFailing } from '../workloads-file/report-applied.ts';

export default class Apply extends StartingCommand {
  static override summary = 'Run the workloads of a file, and update those that differ from it';
  static override description =
    'Shows one plan for all workloads of the file, asks, and applies it to several workloads at once. Only ' +
    'workloads that differ from the file are restarted. A workload that fails does not stop the others, and runs ' +
    'again with its earlier settings. --prune also removes workloads that an earlier `apply` of a file with the ' +
    'same `name` created and that the file no longer has; their named volumes stay.';
  static override usage = 'apply -f FILE [FLAGS]';
  static override examples = [
    '<%= config.bin %> apply -f workloads.yaml',
    '<%= config.bin %> apply -f workloads.yaml --prune --yes',
    '<%= config.bin %> apply -f workloads.yaml --dry-run --format json',
  ];
  static override flags = {
    file: workloadsFileFlag,
    prune: boolean({
      description: 'remove workloads that an earlier apply of the file created and it no longer has',
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
    const startTimeoutMs = flags['start-timeout'] ?? START_TIMEOUT_MS;
    if (startTimeoutMs <= 0)
      throw badArgument('--start-timeout: found no positive duration; expected more than 0');
    const { file } = flags;
    if (file === undefined) throw badArgument('apply: found no file; expected -f FILE');
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (opened, signal) => {
      const context = await contextWithRegistry(flags, opened, signal);
      await this.#applyFile(file, flags, context, startTimeoutMs, signal);
    });
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
    const report = { debug: flags.debug, tell: (lines: readonly string[]) => this.tell(lines) };
    if (flags['dry-run'] === true) {
      const plan = await planWorkloads(source, context, { prune }, signal);
      this.print(flags.format, applyPlanDocument(plan), formatApplyPlan(plan));
      reportFailing(plan, report);
      return;
    }
    const asks = flags.yes !== true;
    const { plan, results } = await applyFile(
      source,
      context,
      {
        observerOf: this.#observers(flags.debug),
        program: this.supervisorProgram(),
        startTimeoutMs,
        trust: flags.trust,
        configFile: flags.config === undefined ? undefined : path.resolve(flags.config),
        prune,
        asks,
        acceptsGrants: asks,
        reread: async () => (file === '-' ? source : await readWorkloadsFile(file, context, signal)),
        confirm: async (planned) => await this.#confirm(planned, asks),
      },
      signal,
    );
    if (flags.format === 'json') this.print('json', resultDocument(plan, results), '');
    reportApplied(results, report);
  }

  /** Shows the plan on standard error, and asks unless nothing is to be done. */
  async #confirm(plan: ApplyPlan, asks: boolean): Promise<void> {
    this.tell(formatApplyPlan(plan).split('\n'));
    if (!asks || !plan.workloads.some(isChanging)) return;
    const terminal = { input: process.stdin, output: process.stderr };
    await confirm('Apply this plan? Type yes: ', ['y', 'yes'], terminal);
  }

  /** Returns the observer of each workload. It leaves out what the plan has shown. */
  #observers(debug: boolean): (name: string) => RunObserver {
    const observers = new Map<string, RunObserver>();
    return (name) => {
      const known = observers.get(name);
      if (known !== undefined) return known;
      const { difference: _difference, ...observer } = this.observer(this.progress(name), () => undefined, debug);
      observers.set(name, observer);
      return observer;
    };
  }
}

interface ApplyFlagValues {
  readonly prune: boolean | undefined;
  readonly 'dry-run': boolean | undefined;
  readonly yes: boolean | undefined;
  readonly trust: boolean | undefined;
  readonly config?: string | undefined;
  readonly debug: boolean;
  readonly format: string;
}

/** Returns the plan with what happened to each workload, for programs. */
function resultDocument(plan: ApplyPlan, results: readonly AppliedWorkload[]): object {
  const { name, groups, workloads } = plan;
  return {
    name,
    groups,
    workloads: workloads.map((workload) => {
      const result = results.find((one) => one.name === workload.name);
      const { url, error = workload.error } = result ?? { url: undefined };
      return { ...workloadDocument({ ...workload, error }), ...(url === undefined ? {} : { url }) };
    }),
  };
}
