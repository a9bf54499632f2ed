import type { IdleSupervisor } from '@portolan/workload';
import { ownWords } from './own-words.ts';
import { openIdleSupervisor } from '../supervisor/open-idle-supervisor.ts';
import { supervisorProgram } from '../supervisor/supervisor-program.ts';

/** Words by which a command line of `run` needs no supervisor, or one with other variables than this process has. */
const WITHOUT =
  /^(?:-[a-z]*[fh](?:=.*)?|--(?:help|dry-run|foreground|config|gateway-image)(?:=.*)?|https?:.*)$/is;

/**
 * Whether most likely a workload is started in a process of its own, by a glance at the words: what they mean is
 * known only when the framework has read them.
 */
export function needsSupervisor([command, ...words]: readonly string[]): boolean {
  if (command !== 'run') return false;
  const own = ownWords(words);
  return own.length > 0 && !own.some((word) => WITHOUT.test(word));
}

/**
 * The supervisor that is started before the command line is read. It needs as long to get ready as this process
 * needs to know what is to be run, so the two of them go side by side.
 */
class EarlySupervisor {
  #begun: IdleSupervisor | undefined;

  /** Starts it where the words look as if it were needed. Never rejects: whoever needs one starts another. */
  async begin(words: readonly string[], packageFolder: string): Promise<void> {
    if (!needsSupervisor(words)) return;
    this.#begun = await openIdleSupervisor(supervisorProgram(packageFolder), process.env);
  }

  /** It, once, for whoever ends it from now on; undefined when there is none. */
  take(): IdleSupervisor | undefined {
    const begun = this.#begun;
    this.#begun = undefined;
    return begun;
  }

  /** Ends it when nobody has taken it. */
  async end(): Promise<void> {
    await this.take()?.end();
  }
}

/** The one of this process. */
export const earlySupervisor = new EarlySupervisor();
