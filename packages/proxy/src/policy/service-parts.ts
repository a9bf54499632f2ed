import type { Counts } from '../request/counts.ts';
import type { ProxyLimits } from '../request/proxy-options.ts';
import type { Policy } from './policy.ts';

/** What every service is opened with, beside the options of the proxy. */
export interface ServiceParts {
  readonly limits: ProxyLimits;
  readonly counts: Counts;
  /** Undefined where nobody stands in a slot. */
  readonly policy: Policy | undefined;
}
