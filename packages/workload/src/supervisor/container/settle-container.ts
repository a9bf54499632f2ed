import type { ContainerSpec } from '@portolan/plugin-api';
import type { WorkloadHooks } from '../../workload-context.ts';
import { type Hardening, hardenContainer } from './harden-container.ts';

export interface SettleRules {
  readonly hardening: Hardening;
  /**
   * Throws when the spec `changed` is more permissive than `before`. `plugin` is the plugin that made the
   * change, where known.
   */
  readonly check: (before: ContainerSpec, changed: ContainerSpec, plugin?: string) => void;
}

/**
 * Runs the hook `containerStart`, in which hardening is one of the taps, and returns the resulting container
 * spec. Checks the result of each tap against the previous spec, and the last result also against the
 * hardened draft. Throws what the check and the hook throw.
 */
export async function settleContainer(
  hooks: Pick<WorkloadHooks, 'containerStart'>,
  draft: ContainerSpec,
  { hardening, check }: SettleRules,
): Promise<ContainerSpec> {
  const hardened = hardenContainer(draft, hardening);
  let before = draft;
  const spec = await hooks.containerStart(draft, {
    harden: (containerSpec) => {
      before = hardened;
      return hardenContainer(containerSpec, hardening);
    },
    check: (changed, plugin) => check(before, changed, plugin),
  });
  if (before !== hardened) throw new TypeError('the hook containerStart ran without hardening');
  check(hardened, spec);
  return spec;
}
