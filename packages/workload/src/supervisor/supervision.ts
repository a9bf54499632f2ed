import type { ProbeResult } from '@portolan/mcp-client';
import type { OwnRequests } from '@portolan/mcp-protocol';
import type { KindProblem, UndoStack, RequestAtRest } from '@portolan/plugin-api';
import type { OpenProxy, PlacedProxyMiddleware } from '@portolan/proxy';
import type { Members, RunConfig } from '@portolan/run-spec';
import type { ProcessIdentity } from '../state/process-identity.ts';
import type { MemberStates } from '../state/member-state.ts';
import type { WorkloadState } from '../state/workload-state.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { OpenPolicies } from './policies/begin-policies.ts';
import type { Lifecycle } from './process/lifecycle.ts';
import type { Notices } from './process/notices.ts';
import type { ServerOutput } from './process/server-output.ts';
import type { ServerSide } from './server/server-side.ts';
import type { StateWriter } from './process/state-record.ts';
import type { Waiting } from './waiting.ts';
import type { MemberValues, ReportListener, SupervisorOrder } from './supervisor-order.ts';

export interface Supervision {
  readonly order: SupervisorOrder;
  readonly context: WorkloadContext;
  readonly report: ReportListener;
  readonly config: RunConfig;
  /** State of the workload before this start. */
  readonly state: WorkloadState;
  readonly own: ProcessIdentity;
  /** Identifier of this supervisor, which its proxy returns. */
  readonly instance: string;
  readonly lifecycle: Lifecycle;
  readonly output: ServerOutput;
  readonly record: StateWriter;
  readonly notices: Notices;
  readonly opened: UndoStack;
  /** Lets the user at the terminal log in for more scopes; undefined without a terminal. */
  readonly stepUp: StepUp | undefined;
  /** Prepares the members of a changed members file. Without it, a change of the file has no effect. */
  readonly changeMembers?: ChangeMembers | undefined;
  /** Member of a virtual server whose server this is; undefined for a workload. */
  readonly member?: string | undefined;
  /** Opening policies; set by the first step that needs them. */
  policies?: Promise<OpenPolicies>;
  /** Problem in the issuer's metadata; set during the start. */
  issuerProblem?: Promise<KindProblem | undefined>;
  /** Guard of what was approved; set during the start, if the workload needs one. Members have none of their own. */
  drift?: DriftControl;
  server?: ServerSide;
  proxy?: OpenProxy;
  /** Keys by which the proxy recognizes the supervisor's own requests; set with `proxy`. */
  ownRequests?: OwnRequests;
  /** Number of reads of the server's definitions now. Meanwhile, only the server itself responds to requests. */
  reads?: number;
  /** Checks the server of a member, which has no proxy. */
  ask?: (signal: AbortSignal) => Promise<ProbeResult>;
  /** Called for each message of the server of a member. */
  heard?: () => void;
  startFault?: string | undefined;
  /** Reason why requests cannot be served now, such as an unavailable engine; undefined when they can. */
  missing?: string | undefined;
  /** Unavailable dependency that a started workload waits for; undefined when none is unavailable. */
  waiting?: Waiting | undefined;
}

/** Guard of what was approved for a workload. */
export interface DriftControl {
  /** Returns the middleware of the guard, which reports differences to the policies. */
  middleware(policies: readonly PlacedProxyMiddleware[]): readonly PlacedProxyMiddleware[];
  /** Compares what the server has with what was approved, before the first client. Throws ERR_DRIFT_REFUSED. */
  check(): Promise<void>;
  /** Compares like `check` after a request has started the server. Ends the workload when changes are refused. */
  compareStarted(): void;
  /** Returns the response to a request from what was approved, for a server that does not run. */
  respond(request: RequestAtRest): string | undefined;
}

/** Members of a changed members file, whose settings and secrets are stored. */
export interface ChangedMembers {
  readonly members: Members;
  /** Settings of the tool search. */
  readonly search: RunConfig['search'];
  /** Secret values of members that have changed. */
  readonly values: Readonly<Record<string, MemberValues>>;
  /** States of members that have changed. */
  readonly states: MemberStates;
  readonly warnings: readonly string[];
}

/** Texts of a members file. */
export interface FileTexts {
  readonly text: string;
  /** Text before the change; undefined when it is not known. */
  readonly before: string | undefined;
}

export interface ChangedFile {
  /** Changed settings of the virtual server itself, which take effect only when it is run again. */
  readonly unapplied: readonly string[];
  /** Undefined when members and search are the same. */
  readonly change: ChangedMembers | undefined;
}

/**
 * Prepares the members in the text of a changed members file, as `run` does, and stores them in the run config of
 * the virtual server. Throws like a run without a user; then nothing changes.
 */
export type ChangeMembers = (
  name: string,
  texts: FileTexts,
  context: WorkloadContext,
  signal: AbortSignal,
) => Promise<ChangedFile>;

export type StepUp = (scopes: readonly string[]) => Promise<void>;

export function required<Part>(part: Part | undefined, name: string): Part {
  if (part === undefined) throw new TypeError(`${name} is used before it is open`);
  return part;
}
