import type { RunConfig } from '@portolan/run-spec';
import type { ConsentRequest } from '../../consent/require-consent.ts';
import type { NewWorkload } from './check/find-replaced.ts';
import type { SettledRun } from './settled-run.ts';

/** Run whose settings are prepared as far as possible without the image. */
export interface PreparedRun extends NewWorkload {
  readonly consent: ConsentRequest | undefined;
  /** Consents that members of a virtual server need, by the name of the member. */
  readonly consents?: ReadonlyMap<string, ConsentRequest | undefined>;
  /** Provides the image and decides the settings that depend on it. */
  readonly settle: (replaced: RunConfig | undefined) => Promise<SettledRun>;
}
