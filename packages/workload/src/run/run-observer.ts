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
  /** Values that the user may enter for the input; empty when any value is allowed. */
  readonly choices: readonly string[];
}

export interface Difference {
  readonly name: string;
  readonly changes: readonly PlannedChange[];
  /** Protections that the new settings lack, such as `who may call it`. */
  readonly lost: readonly string[];
}

/** Receives the progress of a run; never a secret. */
export interface RunObserver {
  /** Called when a step begins, and for each part of the last step. */
  step(step: RunStep, text: string): void;
  image(progress: ImageProgress): void;
  /** Shows a warning about a difference from the request, or a problem that needs attention. */
  warn(text: string): void;
  /** Shows a message that stays on the screen. */
  note(text: string): void;
  /** Called with the differences between old and new settings, before the old workload stops. */
  difference?(difference: Difference): void;
  /** Called with each line of the server's output; only for a run in the foreground. */
  output?(text: string): void;
  /** Called when the workload responds. A run in the foreground then continues. */
  ready(workload: Pick<ReadyWorkload, 'url' | 'status'>): void;
  /** Asks the user. Rejects with the signal's reason on abort. Left out without a terminal. */
  readonly ask?: (question: RunQuestion, signal: AbortSignal) => Promise<string>;
  /** Asks the user for consent. Left out without a terminal. */
  readonly consent?: ConsentOptions['consent'];
  readonly person?: Person;
}
