import type { OwnRequests } from '@portolan/mcp-protocol';
import type { KindProblem, UndoStack } from '@portolan/plugin-api';
import type { OpenProxy } from '@portolan/proxy';
import type { RunConfig } from '@portolan/run-spec';
import type { ProcessIdentity } from '../state/process-identity.ts';
import type { WorkloadState } from '../state/workload-state.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { OpenPolicies } from './policies/begin-policies.ts';
import type { Lifecycle } from './process/lifecycle.ts';
import type { Notices } from './process/notices.ts';
import type { ServerOutput } from './process/server-output.ts';
import type { ServerSide } from './server/server-side.ts';
import type { StateRecord } from './process/state-record.ts';
import type { Waiting } from './waiting.ts';
import type { ReportListener, SupervisorOrder } from './supervisor-order.ts';

/** What the steps of a supervisor share. */
export interface Supervision {
  readonly order: SupervisorOrder;
  readonly context: WorkloadContext;
  readonly report: ReportListener;
  readonly config: RunConfig;
  /** As it was found. */
  readonly state: WorkloadState;
  readonly own: ProcessIdentity;
  /** Of this supervisor alone; its proxy answers with it. */
  readonly instance: string;
  readonly lifecycle: Lifecycle;
  readonly output: ServerOutput;
  readonly record: StateRecord;
  readonly notices: Notices;
  readonly opened: UndoStack;
  /** Has whoever sits at the terminal log in for more scopes; undefined where nobody does. */
  readonly stepUp: StepUp | undefined;
  /** Set by the step that opens it, or begins to. */
  policies?: Promise<OpenPolicies>;
  /** Problem of the issuer of tokens that its metadata shows; set while the server starts. */
  issuerProblem?: Promise<KindProblem | undefined>;
  server?: ServerSide;
  proxy?: OpenProxy;
  /** Keys by which the proxy recognizes requests of the supervisor itself; set with `proxy`. */
  ownRequests?: OwnRequests;
  /** Why the last start of a process failed; undefined when it started. */
  startFault?: string | undefined;
  /** Why calls cannot be served now, such as an engine that does not respond; undefined when they can. */
  missing?: string | undefined;
  /** What a started workload waits for, though its server's side is well; undefined when nothing is missing. */
  waiting?: Waiting | undefined;
}

/** Rejects where nobody has logged in. */
export type StepUp = (scopes: readonly string[]) => Promise<void>;

/** What an earlier step has set. */
export function required<Part>(part: Part | undefined, name: string): Part {
  if (part === undefined) throw new TypeError(`${name} is not open yet`);
  return part;
}
