import type { Person, RunObserver } from '@portolan/workload';
import { askConsent } from '../terminal/ask/ask-consent.ts';
import { askOnTerminal } from '../terminal/ask/ask-user.ts';
import { formatDifference } from '../terminal/format/format-difference.ts';
import { personAtTerminal } from '../terminal/ask/person-at-terminal.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { StepTimes } from '../terminal/step-times.ts';
import { RunProgress } from '../terminal/run-progress.ts';
import { WorkloadCommand } from './workload-command.ts';
import { giveRoomForCalls } from '../supervisor/heap-limit.ts';
import { supervisorProgram } from '../supervisor/supervisor-program.ts';

export abstract class StartingCommand extends WorkloadCommand {
  #line = new ProgressLine(process.stderr);

  /**
   * Returns progress output on standard error; with several workloads, each line has the name of its
   * workload.
   */
  protected progress(name?: string): RunProgress {
    return new RunProgress(this.#line, () => performance.now(), name);
  }

  /** Returns an observer that shows the progress of a start, and asks questions if there is a terminal. */
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
        giveRoomForCalls(); // in the foreground, this process handles the calls
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

  protected supervisorProgram(): readonly string[] {
    return supervisorProgram(this.config.root);
  }
}
