import type { ImageProgress } from '@portolan/plugin-api';
import type { ConsentOptions } from '../consent/require-consent.ts';
import type { Person } from '../login/person.ts';
import type { PlannedChange } from './run-plan.ts';
import type { ReadyWorkload } from '../supervisor/supervisor-order.ts';

/** Steps of a run in their order, for progress messages. */
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

/** Input of a registry entry that the user is asked for. */
export interface RunQuestion {
  readonly name: string;
  readonly description: string | undefined;
  readonly isSecret: boolean;
  readonly placeholder: string | undefined;
  /** Allowed values; empty for any value. */
  readonly choices: readonly string[];
}

/** Difference between the settings of a workload and those that replace them. */
export interface Difference {
  readonly name: string;
  readonly changes: readonly PlannedChange[];
  /** Protections that would be lost, such as `who may call it`. */
  readonly lost: readonly string[];
}

/** Receives the progress of a run or start. No argument contains a secret. */
export interface RunObserver {
  /** Called when a step begins, and for each part of the last step. */
  step(step: RunStep, text: string): void;
  /** Progress of a pull or build. */
  image(progress: ImageProgress): void;
  /** Reports a deviation from the request or something that needs attention. */
  warn(text: string): void;
  /** Shows a message that the user asked for, permanently. */
  note(text: string): void;
  /** Called with changed settings before anything is stopped. */
  difference?(difference: Difference): void;
  /** Called with each line of the server's output of a run in the foreground. */
  output?(text: string): void;
  /** Called when the workload is ready; for a run in the foreground, before it ends. */
  ready(workload: Pick<ReadyWorkload, 'url' | 'status'>): void;
  /** Asks the user, and rejects with the signal's reason on abort. Left out without a terminal. */
  readonly ask?: (question: RunQuestion, signal: AbortSignal) => Promise<string>;
  /** Asks the user about all grants of a run. Left out without a terminal. */
  readonly consent?: ConsentOptions['consent'];
  /** User who can log in. Left out when no one can. */
  readonly person?: Person;
}
