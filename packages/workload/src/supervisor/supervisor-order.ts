import type { HandedLogin } from '../login/workload-login.ts';
import type { ErrorClass } from '@portolan/plugin-api';
import type { WorkloadStatus } from '../state/workload-state.ts';

/**
 * What a supervisor is told, over the channel to the process that starts it and
 * never as an argument or a variable. Run config and state it reads from the store.
 */
export interface SupervisorOrder {
  readonly name: string;
  /** Variables of the server whose values are secret, by name of the variable. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Headers for a remote server whose values are secret, by name of the header. */
  readonly headers: Readonly<Record<string, string>>;
  /** Secrets that policies use, by name of the secret. */
  readonly policySecrets: Readonly<Record<string, string>>;
  /** Of a login that was just made; left out, there was none. */
  readonly login?: HandedLogin;
  /** Opens the secret store, where renewed tokens are kept; left out where there are none, or nothing has to be known. */
  readonly storePassword?: string;
  /** How long the server may take to answer once its container has started, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Whether the log of the workload holds each step and decision, as `--debug` asks; left out: no. */
  readonly isDebug?: boolean;
  /** No restarts: the supervisor ends when the container does. */
  readonly foreground: boolean;
}

/** A workload whose start has ended. */
export interface ReadyWorkload {
  /** Address of the proxy. */
  readonly url: string;
  /** Identifier of this start. */
  readonly instance: string;
  /** `running`, or why clients cannot use the workload yet, such as `unauthenticated`. */
  readonly status: WorkloadStatus;
}

/** What a supervisor tells while it starts; after `ready` or `failed` nothing follows but `output`. */
export type SupervisorReport =
  | { readonly report: 'step'; readonly step: SupervisorStep; readonly text: string }
  | { readonly report: 'warning'; readonly text: string }
  /** Something that was asked for, such as what is hidden. */
  | { readonly report: 'note'; readonly text: string }
  /** A line of the server, as it comes; in the foreground only. */
  | { readonly report: 'output'; readonly text: string }
  | ({ readonly report: 'ready' } & ReadyWorkload)
  | {
      readonly report: 'failed';
      readonly code: string;
      readonly class: ErrorClass;
      readonly message: string;
      readonly hint: string | undefined;
      /** What the container wrote last, oldest first. */
      readonly lastLines: readonly string[];
    };

export const SUPERVISOR_STEPS = ['gateway', 'container', 'proxy', 'server'] as const;
export type SupervisorStep = (typeof SUPERVISOR_STEPS)[number];

export type ReportListener = (report: SupervisorReport) => void;
