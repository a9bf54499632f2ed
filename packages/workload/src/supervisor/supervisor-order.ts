import type { HandedLogin } from '../login/workload-login.ts';
import type { CurrentDefinitions } from '@portolan/lock';
import type { ErrorClass } from '@portolan/plugin-api';
import type { MissingPart } from './process/missing-part.ts';
import type { WorkloadStatus } from '../state/workload-state.ts';

/**
 * Order to a supervisor. The starting process sends it over a private channel, never as an argument or a
 * variable. The supervisor reads run config and state from the store.
 */
export interface SupervisorOrder extends MemberValues {
  readonly name: string;
  /** Values for the servers of members, by the name of the member; absent without such members. */
  readonly members?: Readonly<Record<string, MemberValues>>;
  /** Password of the secret store, which receives renewed tokens; absent when no password is needed. */
  readonly storePassword?: string;
  /** Timeout for the server's first response after the container starts, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Whether the supervisor ends with the container instead of restarting it. */
  readonly foreground: boolean;
  /**
   * Whether the supervisor only reads the definitions of the server: it serves no clients, reports the definitions
   * and ends. It also ends with the process that started it. Default: false.
   */
  readonly readsDefinitions?: boolean;
}

/** Secret values and login of one server. */
export interface MemberValues {
  readonly secrets: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly policySecrets: Readonly<Record<string, string>>;
  readonly login?: HandedLogin;
}

export interface ReadyWorkload {
  readonly url: string;
  readonly instance: string;
  /** `running`, or why clients cannot use the workload yet, such as `unauthenticated`. */
  readonly status: WorkloadStatus;
}

/** Report of a supervisor during its start. After `ready`, `definitions` or `failed`, only `output` follows. */
export type SupervisorReport =
  | { readonly report: 'step'; readonly step: SupervisorStep; readonly text: string }
  | { readonly report: 'warning'; readonly text: string }
  /** Information that the user requested, such as the list of hidden files. */
  | { readonly report: 'note'; readonly text: string }
  /** Line of the server's output; only in the foreground. */
  | { readonly report: 'output'; readonly text: string }
  | ({ readonly report: 'ready' } & ReadyWorkload)
  /** Definitions of a workload that was started only to be read. */
  | { readonly report: 'definitions'; readonly definitions: CurrentDefinitions }
  | {
      readonly report: 'failed';
      readonly code: string;
      readonly class: ErrorClass;
      readonly message: string;
      readonly hint: string | undefined;
      /** Last output of the container, oldest line first. */
      readonly lastLines: readonly string[];
      /** Part that the image lacks, according to any line of the output. */
      readonly missing?: MissingPart | undefined;
    };

export const SUPERVISOR_STEPS = ['gateway', 'container', 'proxy', 'server'] as const;
export type SupervisorStep = (typeof SUPERVISOR_STEPS)[number];

export type ReportListener = (report: SupervisorReport) => void;
