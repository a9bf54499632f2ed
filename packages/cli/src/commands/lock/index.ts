import { Flags } from '@oclif/core';
import type { Difference } from '@portolan/lock';
import { approveInLock, type InspectResult, type LockInspection } from '@portolan/workload/lock';
import { workloadNames } from '../../command-line/flags/choice-flags.ts';
import { boolean } from '../../command-line/flags/flag-types.ts';
import { DIFFERS } from '../../command-line/exit-status.ts';
import { LockCommand, readFlags, type ReadFlagValues, yesFlag } from '../../command-line/lock-command.ts';
import type { OpenedContext } from '../../context/open-workload-context.ts';
import { safeJson } from '../../mcp/print-parts.ts';
import { reportDrift } from '../../terminal/format/drift-report.ts';
import { sarifOf } from '../../terminal/format/drift-sarif.ts';
import { formatDrift } from '../../terminal/format/format-drift.ts';
import { describeError } from '../../terminal/report-error.ts';
import { badArgument, workloadsFailed } from '../../terminal/terminal-errors.ts';
import { terminalLook } from '../../terminal/terminal-look.ts';

const LISTS: readonly string[] = ['tool', 'prompt', 'template'];

export default class Lock extends LockCommand {
  static override summary = 'Lock the tools, prompts and instructions that you approved';
  static override description =
    'Reads what the servers of workloads send, before any policy, and writes it into their lock files. Shows what ' +
    'is new and asks for approval. A changed item stays held until `portolan lock approve`. The command starts a ' +
    'workload that does not run, without a listener for clients, and stops it again. Without names, it acts on all ' +
    'workloads. --check only compares. Without names, it checks all locked workloads. Its exit status is 0 if ' +
    'everything is as locked, 3 if something differs, and 1 if a workload could not be checked.';
  static override usage = 'lock [NAMES...] [FLAGS]';
  static override examples = [
    '<%= config.bin %> lock github',
    '<%= config.bin %> lock --yes',
    '<%= config.bin %> lock --check --format sarif',
  ];
  static override args = workloadNames;
  static override flags = {
    check: boolean({ description: 'only compare, and change nothing', fallback: 'false' }),
    yes: yesFlag,
    format: Flags.option({
      description: 'output format of --check',
      options: ['text', 'json', 'sarif'] as const,
      default: 'text' as const,
    })(),
    ...readFlags,
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(Lock);
    if (flags.check !== true && flags.format !== 'text')
      throw badArgument(`--format ${flags.format}: found it without --check; expected both`);
    if (flags.check === true && flags.yes === true)
      throw badArgument('--yes: found it with --check, which approves nothing; expected one of the two');
    return await this.withWorkloads({ ...flags, needsKinds: true }, async (context, signal) => {
      if (flags.check !== true) {
        const names = await this.choose(args.names, context);
        return await this.#lock(names, flags, context, signal);
      }
      const results = await this.inspectLocked(args.names, flags, context, signal);
      this.#printCheck(results, flags.format, context);
      if (results.length === 0 || results.some((one) => 'error' in one)) return 1;
      return results.some((one) => 'inspection' in one && one.inspection.differences.length > 0)
        ? DIFFERS
        : 0;
    });
  }

  #printCheck(
    results: readonly InspectResult[],
    format: 'text' | 'json' | 'sarif',
    context: OpenedContext,
  ): void {
    const reports = results.map(reportDrift);
    if (format === 'json') return this.log(safeJson({ workloads: reports }));
    if (format === 'sarif') {
      const { workingDirectory, version } = context;
      return this.log(safeJson(sarifOf(reports, { version, workingDirectory })));
    }
    if (results.length === 0) this.tell(['no workload is locked: `portolan lock NAME` locks one']);
    this.#show(results);
  }

  /** Prints inspections on standard output, and the errors of others on standard error. */
  #show(results: readonly InspectResult[]): void {
    const look = terminalLook(process.stdout, process.env);
    for (const one of results) {
      if ('inspection' in one) this.log(formatDrift(one.inspection, look));
      else this.tell([`${one.name}: ${describeError(one.error, { debug: false }).trimEnd()}`]);
    }
  }

  async #lock(
    names: readonly string[],
    flags: ReadFlagValues & { readonly yes?: boolean | undefined },
    context: OpenedContext,
    signal: AbortSignal,
  ): Promise<number> {
    const results = await this.inspect(names, flags, context, signal);
    this.#show(results);
    const inspections = results.flatMap((one) => ('inspection' in one ? [one.inspection] : []));
    const open = inspections.filter(
      ({ previous, differences }) => previous === undefined || differences.some(isNew),
    );
    if (open.length > 0)
      await this.ask(
        `Approve what is new in ${open.map(({ name }) => name).join(', ')}?`,
        flags.yes === true,
      );
    for (const inspection of inspections) {
      const isChanged = await approveInLock(inspection, (one) => mayLock(inspection, one), context, signal);
      this.tell([`${inspection.name}: ${isChanged ? 'locked in' : 'unchanged in'} ${inspection.file}`]);
    }
    for (const { name, needsRestart } of inspections)
      if (needsRestart)
        this.tell([`${name}: follows its lock from its next start: \`portolan restart ${name}\``]);
    const held = inspections.filter((one) => one.differences.some((difference) => !mayLock(one, difference)));
    for (const { name } of held)
      this.tell([`${name}: changed items stay held; approve them with \`portolan lock approve ${name}\``]);
    const failed = results.length - inspections.length;
    const [first] = results.flatMap((one) => ('error' in one ? [one.error] : []));
    if (first !== undefined && results.length === 1) throw first;
    if (failed > 0) throw workloadsFailed(failed, results.length);
    return held.length > 0 ? DIFFERS : 0;
  }
}

/** Returns whether `lock` approves a difference: at the first lock, any; later, new items and harmless changes. */
function mayLock({ previous }: LockInspection, difference: Difference): boolean {
  return (
    previous === undefined || isNew(difference) || difference.class === 'note' || difference.class === 'none'
  );
}

/** Returns whether a difference is a new item whose name looks like no approved one. */
function isNew({ kind, change, looksLike }: Difference): boolean {
  return change === 'added' && LISTS.includes(kind) && looksLike === undefined;
}
