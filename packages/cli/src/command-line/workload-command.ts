import type { Interfaces } from '@oclif/core';
import { splitArguments } from './arguments.ts';
import { BaseCommand } from './base-command.ts';
import { askPasswordOnTerminal } from '../terminal/ask/ask-password.ts';
import { badArgument } from '../terminal/terminal-errors.ts';
import {
  openWorkloadContext,
  type OpenedContext,
  type SettingsNeed,
} from '../context/open-workload-context.ts';
import { GATEWAY_IMAGE } from '../context/gateway-image.ts';
import { processEnd } from './process-end.ts';
import { describeError } from '../terminal/report-error.ts';
import { SIGNAL_STATUS, listenForStop } from '../terminal/stop-signals.ts';

type Values = Record<string, unknown>;

/** A command line as it was read. */
export interface ReadArguments<FlagValues, ArgValues> {
  readonly flags: FlagValues;
  readonly args: ArgValues;
  /** What stood behind `--`; empty for a command that takes no such words. */
  readonly rest: readonly string[];
}

/** What commands about workloads have in common. Their result is the exit status; nothing is 0. */
export abstract class WorkloadCommand extends BaseCommand {
  /**
   * Reads the command line. Of a boolean flag it tells `=false` from nothing at
   * all. Throws ERR_BAD_ARGUMENT, and what the parser underneath throws.
   */
  protected async readArguments<Own extends Values, Base extends Values, Words extends Values>(
    command: Interfaces.Input<Own, Base, Words> & { readonly flags: object; readonly baseFlags: object },
    { takesRest = false }: { readonly takesRest?: boolean } = {},
  ): Promise<ReadArguments<Own & Base, Words>> {
    const { own, rest, off } = splitArguments(this.argv, { ...command.baseFlags, ...command.flags });
    if (rest.length > 0 && !takesRest) throw badArgument(`unexpected argument: ${rest.join(' ')}`);
    const { flags, args } = await this.parse<Own, Base, Words>(command, own);
    return { flags: { ...flags, ...Object.fromEntries([...off].map((name) => [name, false])) }, args, rest };
  }

  /**
   * Does something with the workloads of this user. The signal aborts when the
   * command is told to stop; then the exit status is that of the signal, unless
   * the work ends by itself all the same. A second signal ends the process.
   */
  protected async withWorkloads(
    { config, debug, 'gateway-image': gatewayImage, needsKinds = false, settings = 'needed' }: ContextFlags,
    work: (context: OpenedContext, signal: AbortSignal) => Promise<number | void>,
  ): Promise<number> {
    const stop = listenForStop(process, {
      signals: ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP'],
      end: (status) => processEnd.end(status),
    });
    let context: OpenedContext | undefined;
    try {
      const origin = {
        environment: environmentWith(gatewayImage),
        debug: debug === true,
        configFile: config,
      };
      const asking = askPasswordOnTerminal(process, stop.signal);
      context = await openWorkloadContext({
        ...origin,
        needsKinds,
        settings,
        ...(asking === undefined ? {} : { askPassword: asking }),
        version: this.config.version,
      });
      await this.#finishRemovals(context, stop.signal);
      return (await work(context, stop.signal)) ?? 0;
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      // What else has failed on the way out is to be seen too.
      if (error !== stop.signal.reason)
        this.tell([describeError(error, { debug: debug === true }).trimEnd()]);
      this.tell(['interrupted']);
      return SIGNAL_STATUS[await stop.asked];
    } finally {
      await context?.close();
      stop.close();
    }
  }

  /** Finishes removals that earlier commands left unfinished, such as on a full disk. */
  async #finishRemovals(context: OpenedContext, signal: AbortSignal): Promise<void> {
    const isNeeded = await context.store.listUnfinished().then(
      (removals) => removals.some(({ hasReferences }) => hasReferences),
      () => true, // `finishRemovals` logs why it cannot read them
    );
    if (!isNeeded) return;
    const { finishRemovals } = await import('@portolan/workload/operations');
    const names = await finishRemovals(context, signal);
    this.tell(names.map((name) => `finished the removal of ${name}`));
  }

  /** Writes lines for people to standard error; what programs read goes to standard output. */
  protected tell(lines: readonly string[]): void {
    for (const line of lines) this.logToStderr(line);
  }
}

export interface ContextFlags {
  readonly config?: string | undefined;
  readonly debug?: boolean | undefined;
  readonly 'gateway-image'?: string | undefined;
  /** Whether the kinds of all plugins have to be known; left out, they are read when the first one is opened. */
  readonly needsKinds?: boolean;
  readonly settings?: SettingsNeed;
}

/** The variable stands for the flag, so that the supervisor, which is a process of its own, goes by it too. */
export function environmentWith(gatewayImage: string | undefined): NodeJS.ProcessEnv {
  return gatewayImage === undefined ? process.env : { ...process.env, [GATEWAY_IMAGE]: gatewayImage };
}
