import type { RunObserver } from '@portolan/workload';
import path from 'node:path';
import { askOnTerminal } from './ask-user.ts';
import { ProgressLine } from './registry-client/progress-line.ts';
import { RunProgress } from './run-progress.ts';
import { WorkloadCommand } from './workload-command.ts';

/** What commands that start workloads have in common. */
export abstract class StartingCommand extends WorkloadCommand {
  #line = new ProgressLine(process.stderr);

  /** Progress on standard error; of several workloads each under its name. */
  protected progress(name?: string): RunProgress {
    return new RunProgress(this.#line, () => performance.now(), name);
  }

  /** Hands everything to the progress, and questions to the terminal where there is one. */
  protected observer(progress: RunProgress, ready: (url: string) => void): RunObserver {
    const ask = askOnTerminal(process, this.#line);
    return {
      step: (step, text) => progress.step(step, text),
      image: (image) => progress.image(image),
      warn: (text) => progress.warn(text),
      ready: (url) => {
        progress.clear();
        ready(url);
      },
      ...(ask === undefined ? {} : { ask }),
    };
  }

  /** Command line of the program that supervises a workload. */
  protected supervisorProgram(): readonly string[] {
    return [process.execPath, path.join(this.config.root, 'bin/portolan-supervisor.js')];
  }
}
