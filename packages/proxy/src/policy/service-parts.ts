import type { Counts } from '../request/counts.ts';
import type { ProxyLimits } from '../request/proxy-options.ts';
import type { Policy } from './policy.ts';

export interface ServiceParts {
  readonly limits: ProxyLimits;
  readonly counts: Counts;
  readonly policy: Policy | undefined;
}
