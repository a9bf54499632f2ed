import type { MemberSource } from '@portolan/virtual-server';

/** Server that a member leads to. */
export interface MemberTarget
  extends Required<Pick<MemberSource, 'open' | 'unavailable' | 'close'>>,
    Pick<MemberSource, 'silent' | 'suspect'> {
  /** Whether requests have outcomes that the connection itself does not show. */
  readonly hasOutcomes: boolean;
  /** Why the server could not start or has ended; empty once it responds again. */
  readonly fault: string;
  /** Whether the server is stopped until the next request, because no client uses it. */
  readonly isIdle: boolean;
  /** Finding about the server for the operator; empty for none. */
  readonly notice: string;
  /** Begins to start the server. Called once, when no other server of the member runs any more. */
  begin?(): void;
}
