import type { PortolanError } from '@portolan/plugin-api';

/** Why an answer could not be had. What it was asked for is the asker's to tell. */
export type Fault =
  /** Not all of it came in time. */
  | { readonly kind: 'time' }
  /** No connection came about, or it broke before an answer. */
  | { readonly kind: 'connection'; readonly cause: unknown }
  /** The answer began, and broke off, or what took it failed. */
  | { readonly kind: 'body'; readonly cause: unknown }
  /** The fetch may not reach the address; `cause` is its ERR_ADDRESS_FORBIDDEN. */
  | { readonly kind: 'address'; readonly redirected: boolean; readonly cause: PortolanError }
  /** It is longer than allowed. */
  | { readonly kind: 'size' }
  /** It leads on more often than allowed. */
  | { readonly kind: 'redirects' }
  /** It leads to where it is not followed. */
  | {
      readonly kind: 'redirect';
      readonly from: URL;
      /** As it was sent; undefined: it does not say where to. */
      readonly location: string | undefined;
      /** undefined: it names no address. */
      readonly to: URL | undefined;
      /** What the rules say against it; empty without an address. */
      readonly because: string;
    };

/** Thrown where an answer could not be had; callers turn it into an error of their own, which a person may see. */
export class NotHad extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`no answer could be had (${fault.kind})`, 'cause' in fault ? { cause: fault.cause } : undefined);
    this.name = 'NotHad';
    this.fault = fault;
  }
}

/** The fault in what `askAddress` and `askDocument` have thrown; undefined for anything else. */
export function faultIn(error: unknown): Fault | undefined {
  return error instanceof NotHad ? error.fault : undefined;
}

/**
 * Returns the message of the innermost cause that has one: `fetch` itself says only that it failed. An
 * `AggregateError`, which a host with several addresses gives, counts as the error of its first address.
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
