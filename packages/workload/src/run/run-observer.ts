import type { ImageProgress } from '@portolan/plugin-api';
import type { ConsentOptions } from '../consent/require-consent.ts';
import type { Person } from '../login/person.ts';
import type { PlannedChange } from './run-plan.ts';
import type { ReadyWorkload } from '../supervisor/supervisor-order.ts';

export const RUN_STEPS = [
  'target',
  'settings',
  'verify',
  'image',
  'build',
  'secrets',
  'login',
  'start',
] as const;
export type RunStep = (typeof RUN_STEPS)[number];

export interface RunQuestion {
  readonly name: string;
  readonly description: string | undefined;
  readonly isSecret: boolean;
  readonly placeholder: string | undefined;
  /** Allowed values of the input; empty for any value. */
  readonly choices: readonly string[];
}

export interface Difference {
  readonly name: string;
  readonly changes: readonly PlannedChange[];
  /** Lost protections, such as `who may call it`. */
  readonly lost: readonly string[];
}

/** Receives the progress of a run; never a secret. */
export interface RunObserver {
  /** Called when a step begins, and for each part of the last step. */
  step(step: RunStep, text: string): void;
  image(progress: ImageProgress): void;
  /** Reports what differs from the request or needs attention. */
  warn(text: string): void;
  /** Shows a message that stays on the screen. */
  note(text: string): void;
  /** Called with the changed settings before anything is stopped. */
  difference?(difference: Difference): void;
  /** Called with each line of output of a run in the foreground. */
  output?(text: string): void;
  /** Called when the workload responds, even in the foreground. */
  ready(workload: Pick<ReadyWorkload, 'url' | 'status'>): void;
  /** Asks the user. Rejects with the signal's reason on abort. Left out without a terminal. */
  readonly ask?: (question: RunQuestion, signal: AbortSignal) => Promise<string>;
  /** Asks the user for consent. Left out without a terminal. */
  readonly consent?: ConsentOptions['consent'];
  readonly person?: Person;
}
