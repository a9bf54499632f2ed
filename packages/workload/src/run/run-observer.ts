import type { ImageProgress } from '@portolan/plugin-api';
import type { ConsentOptions } from '../consent/require-consent.ts';
import type { Person } from '../login/person.ts';
import type { PlannedChange } from './run-plan.ts';
import type { ReadyWorkload } from '../supervisor/supervisor-order.ts';

/** What a run does one after the other, for people. */
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

/** Something that a registry entry wants to be told. */
export interface RunQuestion {
  readonly name: string;
  readonly description: string | undefined;
  readonly isSecret: boolean;
  readonly placeholder: string | undefined;
  /** Empty: any value. */
  readonly choices: readonly string[];
}

/** How the settings of a workload differ from those that replace them. */
export interface Difference {
  readonly name: string;
  readonly changes: readonly PlannedChange[];
  /** Protections that would disappear: `who may call it`. */
  readonly lost: readonly string[];
}

/** Told what a run or start does while it does it. Nothing that it is told is secret. */
export interface RunObserver {
  /** A step begins; of the last one also each part of it. */
  step(step: RunStep, text: string): void;
  /** Progress of a pull or build. */
  image(progress: ImageProgress): void;
  /** Something that went other than asked for, or deserves a look. */
  warn(text: string): void;
  /** Something that was asked to be shown, and stays. */
  note(text: string): void;
  /** Settings change; nothing was stopped yet. */
  difference?(difference: Difference): void;
  /** A line of the server, as it comes; of a run in the foreground. */
  output?(text: string): void;
  /** The start has ended. Called before a run in the foreground ends. */
  ready(workload: Pick<ReadyWorkload, 'url' | 'status'>): void;
  /** Asks the user; rejects with the reason when the signal aborts. Left out when nobody can be asked. */
  readonly ask?: (question: RunQuestion, signal: AbortSignal) => Promise<string>;
  /** Asks the user about all grants of a run; left out, nobody can be asked. */
  readonly consent?: ConsentOptions['consent'];
  /** Who can log in; left out, nobody is asked to. */
  readonly person?: Person;
}
