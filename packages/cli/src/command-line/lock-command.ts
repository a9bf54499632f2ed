import path from 'node:path';
import { chooseNames } from '@portolan/workload/operations';
import {
  approveInLock,
  findLock,
  inspectLocks,
  type InspectResult,
  notLocked,
} from '@portolan/workload/lock';
import { isPortolanError } from '@portolan/plugin-api';
import type { OpenedContext } from '../context/open-workload-context.ts';
import { confirm } from '../terminal/ask/confirm.ts';
import { formatDrift } from '../terminal/format/format-drift.ts';
import { terminalLook } from '../terminal/terminal-look.ts';
import { boolean } from './flags/flag-types.ts';
import { gatewayImageFlag, startTimeoutOf, startTimeoutFlag, trustFlag } from './flags/start-flags.ts';
import { workloadConfigFlag } from './flags/workload-config-flag.ts';
import { StartingCommand } from './starting-command.ts';

/** Codes of errors by which a user declines an approval. */
const DECLINED: readonly string[] = ['ERR_NOT_CONFIRMED', 'ERR_CONFIRMATION_NEEDED'];

/** Flags of commands that read the definitions of workloads, and start those that do not run. */
export const readFlags = {
  'start-timeout': startTimeoutFlag,
  'gateway-image': gatewayImageFlag,
  trust: trustFlag,
  config: workloadConfigFlag,
};

export const yesFlag = boolean({
  char: 'y',
  description: 'approve without asking, for scripts',
  fallback: 'false',
});

export interface ReadFlagValues {
  readonly 'start-timeout'?: number | undefined;
  readonly trust?: boolean | undefined;
  readonly config?: string | undefined;
  readonly debug?: boolean | undefined;
}

/** Base class of commands that compare workloads with their locks. */
export abstract class LockCommand extends StartingCommand {
  /** Returns the named workloads; without names, all. */
  protected async choose(
    names: readonly string[] | undefined,
    context: OpenedContext,
  ): Promise<readonly string[]> {
    const isAll = names === undefined || names.length === 0;
    return await chooseNames(isAll ? { names: [], all: true } : { names }, context);
  }

  /** Reads the definitions of workloads and compares them with their locks. */
  protected async inspect(
    names: readonly string[],
    flags: ReadFlagValues,
    context: OpenedContext,
    signal: AbortSignal,
  ): Promise<readonly InspectResult[]> {
    const startTimeoutMs = startTimeoutOf(flags);
    const shown = this.progress();
    const options = {
      observerOf: (name: string) =>
        this.observer(this.progress(names.length > 1 ? name : undefined), () => undefined, flags.debug),
      program: this.supervisorProgram(),
      startTimeoutMs,
      trust: flags.trust,
      ...(flags.config === undefined ? {} : { configFile: path.resolve(flags.config) }),
    };
    return await inspectLocks(names, context, options, signal).finally(() => shown.clear());
  }

  /**
   * Compares the named workloads with their locks; without names, all that are in a lock file. A named one that is in
   * none gets the error ERR_NOT_LOCKED, and is not started.
   */
  protected async inspectLocked(
    named: readonly string[] | undefined,
    flags: ReadFlagValues,
    context: OpenedContext,
    signal: AbortSignal,
  ): Promise<readonly InspectResult[]> {
    const unchecked: InspectResult[] = [];
    const locked: string[] = [];
    for (const name of await this.choose(named, context)) {
      try {
        const { file, previous } = await findLock(name, context);
        if (previous !== undefined) locked.push(name);
        else if (named !== undefined && named.length > 0)
          unchecked.push({ name, error: notLocked(name, file) });
      } catch (error) {
        if (!isPortolanError(error)) throw error;
        unchecked.push({ name, error });
      }
    }
    return [...unchecked, ...(await this.inspect(locked, flags, context, signal))];
  }

  /**
   * Shows how an updated workload differs from its lock, and writes the differences into the lock if the user accepts.
   * Otherwise, they stay held. Does nothing for a workload without a lock.
   */
  protected async approveUpdate(
    name: string,
    { yes, ...flags }: ReadFlagValues & { readonly yes?: boolean | undefined },
    context: OpenedContext,
    signal: AbortSignal,
  ): Promise<void> {
    if ((await findLock(name, context)).previous === undefined) return;
    const [result] = await this.inspect([name], flags, context, signal);
    if (result === undefined) return;
    if ('error' in result) throw result.error;
    const { inspection } = result;
    if (inspection.differences.length > 0) {
      this.tell(formatDrift(inspection, terminalLook(process.stderr, process.env)).split('\n'));
      try {
        await this.ask(`Approve these changes of ${name}?`, yes === true);
      } catch (error) {
        if (!isPortolanError(error) || !DECLINED.includes(error.code)) throw error;
        this.tell([`${name}: changed items stay held; approve them with \`portolan lock approve ${name}\``]);
        return;
      }
    }
    if (await approveInLock(inspection, () => true, context, signal))
      this.tell([`${name}: locked in ${inspection.file}`]);
  }

  /** Asks on the terminal, unless `--yes` is set. Throws ERR_NOT_CONFIRMED and ERR_CONFIRMATION_NEEDED. */
  protected async ask(question: string, isSure: boolean): Promise<void> {
    if (isSure) return;
    await confirm(`${question} [y/N] `, ['y', 'yes'], { input: process.stdin, output: process.stderr });
  }
}
