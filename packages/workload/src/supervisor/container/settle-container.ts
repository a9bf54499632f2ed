import type { ContainerSpec } from '@portolan/plugin-api';
import type { WorkloadHooks } from '../../workload-context.ts';
import { type Hardening, hardenContainer } from './harden-container.ts';

export interface SettleRules {
  readonly hardening: Hardening;
  /**
   * Throws when `changed` is more permissive than `before`; `plugin` names the author of the change, where
   * known.
   */
  readonly check: (before: ContainerSpec, changed: ContainerSpec, plugin?: string) => void;
}

/**
 * Runs the hook `containerStart`, with hardening as one of its taps, and returns the resulting spec. Checks
 * the result of each tap, and the last one also against the hardened draft. Throws what the check and the
 * hook throw.
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
