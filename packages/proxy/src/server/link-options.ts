import type { JsonRecord } from '@portolan/mcp-protocol';
import type { Logger } from '@portolan/plugin-api';
import type { Counts } from '../request/counts.ts';
import type { HealthLimits } from '../health/health-monitor.ts';
import type { QueueLimits } from './outgoing-queue.ts';
import type { RequestLimits } from './server-request.ts';
import type { Startup } from './startup.ts';

export type LinkLimits = RequestLimits & QueueLimits & { readonly health: HealthLimits };

export interface LinkContext {
  readonly limits: LinkLimits;
  readonly counts: Counts;
  readonly logger: Logger;
  readonly clock: () => Date;
  readonly nowMs: () => number;
  readonly startup?: Startup;
  /** Returns the parsed form of a message that is cached, such as a list that was checked before. */
  readonly recall?: ((text: string) => JsonRecord | undefined) | undefined;
}
