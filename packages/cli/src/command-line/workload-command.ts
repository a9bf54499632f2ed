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

export interface ReadArguments<FlagValues, ArgValues> {
  readonly flags: FlagValues;
  readonly args: ArgValues;
  /** Words after `--`; empty for a command that accepts none. */
  readonly rest: readonly string[];
}

/** Base class of commands about workloads. Their result is the exit status; undefined means 0. */
export abstract class WorkloadCommand extends BaseCommand {
  /**
   * Parses the command line. Distinguishes `=false` of a boolean flag from a missing flag. Throws
   * ERR_BAD_ARGUMENT, and the errors of oclif's parser.
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
   * Runs work on the user's workloads and returns the exit status. A stop signal aborts `signal`. If the work
   * then rejects, the status is that of the signal. A second stop signal ends the process.
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
      // Prints an error other than the signal's reason, too.
      if (error !== stop.signal.reason)
        this.tell([describeError(error, { debug: debug === true }).trimEnd()]);
      this.tell(['interrupted']);
      return SIGNAL_STATUS[await stop.received];
    } finally {
      await context?.close();
      stop.close();
    }
  }

  /** Finishes removals that earlier commands left unfinished, for example on a full disk. */
  async #finishRemovals(context: OpenedContext, signal: AbortSignal): Promise<void> {
    const isNeeded = await context.store.listUnfinished().then(
      (removals) => removals.some(({ hasReferences }) => hasReferences),
      () => true,
    );
    if (!isNeeded) return;
    const { finishRemovals } = await import('@portolan/workload/operations');
    const names = await finishRemovals(context, signal);
    this.tell(names.map((name) => `finished the removal of ${name}`));
  }

  /** Writes lines for people to standard error; standard output is for programs. */
  protected tell(lines: readonly string[]): void {
    for (const line of lines) this.logToStderr(line);
  }
}

export interface ContextFlags {
  readonly config?: string | undefined;
  readonly debug?: boolean | undefined;
  readonly 'gateway-image'?: string | undefined;
  /**
   * Whether to load the kinds of all plugins at once. By default, they are loaded when a kind is used first.
   */
  readonly needsKinds?: boolean;
  readonly settings?: SettingsNeed;
}

/**
 * Returns the environment with the flag's value as a variable, because the supervisor, a separate process,
 * reads only the variable.
 */
export function environmentWith(gatewayImage: string | undefined): NodeJS.ProcessEnv {
  return gatewayImage === undefined ? process.env : { ...process.env, [GATEWAY_IMAGE]: gatewayImage };
}
