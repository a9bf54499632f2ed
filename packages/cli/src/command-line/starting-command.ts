import type { IdleSupervisor, Person, RunObserver } from '@portolan/workload';
import path from 'node:path';
import { askConsent } from '../terminal/ask-consent.ts';
import { askOnTerminal } from '../terminal/ask-user.ts';
import { formatDifference } from '../terminal/format-difference.ts';
import { personAtTerminal } from '../terminal/person-at-terminal.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { StepTimes } from '../terminal/step-times.ts';
import { RunProgress } from '../terminal/run-progress.ts';
import { type ContextFlags, environmentWith, WorkloadCommand } from './workload-command.ts';
import { giveRoomForCalls } from '../supervisor/room-for-calls.ts';
import { earlySupervisor } from './early-supervisor.ts';
import { openIdleSupervisor } from '../supervisor/open-idle-supervisor.ts';
import { supervisorProgram } from '../supervisor/supervisor-program.ts';

/** What commands that start workloads have in common. */
export abstract class StartingCommand extends WorkloadCommand {
  #line = new ProgressLine(process.stderr);

  /** Progress on standard error; of several workloads each under its name. */
  protected progress(name?: string): RunProgress {
    return new RunProgress(this.#line, () => performance.now(), name);
  }

  /** Hands everything to the progress, and questions to the terminal where there is one. */
  protected observer(
    progress: RunProgress,
    ready: RunObserver['ready'],
    debug = false,
  ): RunObserver & { readonly person: Person } {
    const ask = askOnTerminal(process, this.#line);
    const consent = askConsent(process, this.#line);
    const times = debug
      ? new StepTimes(
          (line) => progress.note(line),
          () => performance.now(),
        )
      : undefined;
    return {
      step: (step, text) => {
        times?.step(text);
        progress.step(step, text);
      },
      image: (image) => progress.image(image),
      warn: (text) => progress.warn(text),
      note: (text) => progress.note(text),
      output: (text) => progress.note(text),
      difference: (difference) => {
        for (const line of formatDifference(difference)) progress.note(line);
      },
      ready: (workload) => {
        times?.finish();
        progress.clear();
        giveRoomForCalls(); // in the foreground it is this process that serves them
        ready(workload);
      },
      ...(ask === undefined ? {} : { ask }),
      ...(consent === undefined ? {} : { consent }),
      person: personAtTerminal({
        process,
        environment: process.env,
        print: (lines) => this.#line.print(lines),
      }),
    };
  }

  /**
   * Starts the process that will supervise, so that it gets ready while it is
   * found out what is to be run. Undefined when it cannot be started: then that
   * is tried again when it is needed, and told.
   */
  protected async startSupervisor(flags: ContextFlags): Promise<IdleSupervisor | undefined> {
    // The framework gives a flag the value of its variable.
    const { PORTOLAN_CONFIG: named } = process.env;
    const isAsInherited = [undefined, named].includes(flags.config) && flags['gateway-image'] === undefined;
    const begun = isAsInherited ? earlySupervisor.take() : undefined;
    if (begun !== undefined) return begun;
    await earlySupervisor.end();
    const inherited = environmentWith(flags['gateway-image']);
    const environment =
      flags.config === undefined ? inherited : { ...inherited, PORTOLAN_CONFIG: path.resolve(flags.config) };
    return await openIdleSupervisor(this.supervisorProgram(), environment);
  }

  /** Command line of the program that supervises a workload. */
  protected supervisorProgram(): readonly string[] {
    return supervisorProgram(this.config.root);
  }
}
