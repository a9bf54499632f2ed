import type { ContainerSpec } from '@portolan/plugin-api';
import type { WorkloadHooks } from '../../workload-context.ts';
import { type Hardening, hardenContainer } from './harden-container.ts';

export interface SettleRules {
  readonly hardening: Hardening;
  /** Throws when `changed` opens more than `before`; `plugin` is whose change it is, where that is known. */
  readonly check: (before: ContainerSpec, changed: ContainerSpec, plugin?: string) => void;
}

/**
 * What a container is started from: the draft, as the taps on `containerStart`
 * leave it, of which hardening is one. Each answer is checked, and the last once
 * more, against the hardened draft. Throws what the check and the hook throw.
 */
export async function settleContainer(
  hooks: Pick<WorkloadHooks, 'containerStart'>,
  draft: ContainerSpec,
  { hardening, check }: SettleRules,
): Promise<ContainerSpec> {
  const hardened = hardenContainer(draft, hardening);
  let before = draft;
  const spec = await hooks.containerStart(draft, {
    harden: (given) => {
      before = hardened;
      return hardenContainer(given, hardening);
    },
    check: (changed, plugin) => check(before, changed, plugin),
  });
  if (before !== hardened) throw new TypeError('the hook containerStart ran without hardening');
  check(hardened, spec);
  return spec;
}
