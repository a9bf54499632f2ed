import type { PortolanError } from '@portolan/plugin-api';

/** Why a request got no response. The caller of `askAddress` adds what was requested. */
export type Fault =
  | { readonly kind: 'time' }
  | { readonly kind: 'connection'; readonly cause: unknown }
  | { readonly kind: 'body'; readonly cause: unknown }
  /** The address is forbidden; `cause` is the fetch's ERR_ADDRESS_FORBIDDEN. */
  | { readonly kind: 'address'; readonly redirected: boolean; readonly cause: PortolanError }
  | { readonly kind: 'size' }
  | { readonly kind: 'redirects' }
  | {
      readonly kind: 'redirect';
      readonly from: URL;
      readonly location: string | undefined;
      readonly to: URL | undefined;
      readonly because: string;
    };

/** Signals that a request got no response. Callers convert it to an error of their own. */
export class FetchError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`no response (${fault.kind})`, 'cause' in fault ? { cause: fault.cause } : undefined);
    this.name = 'FetchError';
    this.fault = fault;
  }
}

/** Returns the fault in an error of `askAddress` or `askDocument`. */
export function faultIn(error: unknown): Fault | undefined {
  return error instanceof FetchError ? error.fault : undefined;
}

/**
 * Returns the innermost message, since `fetch` itself only reports a failure. An `AggregateError` counts as
 * its first error.
 */
export function reasonIn(error: unknown): string {
  let reason = error instanceof Error ? error.message : String(error);
  for (let inner = error; inner instanceof Error; inner = causeOf(inner))
    if (inner.message !== '') reason = inner.message;
  return reason;
}

function causeOf(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause;
}
