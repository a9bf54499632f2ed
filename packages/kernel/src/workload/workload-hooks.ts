import type { ContainerSpec, Hooks } from '@portolan/plugin-api';
import { deepFreeze } from '../hooks/deep-freeze.ts';
import type { WorkloadKernelHooks } from './workload-kernel.ts';

/** Returns the container hooks as hosts call them. Later taps take effect at once. */
export function workloadHooks(hooks: Hooks): WorkloadKernelHooks {
  return {
    containerStart: async (spec, check) => {
      let current = spec;
      // Runs tap by tap, like the hook itself, so that an error can name the plugin that weakened isolation.
      for (const { name, fn } of hooks.containerStart.taps) {
        const guarded = fn as (given: ContainerSpec) => Promise<ContainerSpec>; // see `guardWaterfall`
        // A copy, because a tap may retain its result and change it after the check.
        current = plainCopy(await guarded(deepFreeze(structuredClone(current))));
        check?.(current, name);
      }
      return current;
    },
    containerExit: async (exit) => await hooks.containerExit.promise(deepFreeze({ ...exit })),
  };
}

/** The guard has checked that it contains only maps, lists and scalars. */
function plainCopy(spec: ContainerSpec): ContainerSpec {
  return structuredClone(spec);
}
