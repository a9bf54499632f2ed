import type { ContainerSpec, Hooks } from '@portolan/plugin-api';
import { deepFreeze } from '../hooks/deep-freeze.ts';
import type { WorkloadKernelHooks } from './workload-kernel.ts';

/** The hooks around containers as hosts run them. What is tapped later counts at once. */
export function workloadHooks(hooks: Hooks): WorkloadKernelHooks {
  return {
    containerStart: async (spec, check) => {
      let current = spec;
      // Tap by tap, as the hook itself would, so that whoever opens too much can be named.
      for (const { name, fn } of hooks.containerStart.taps) {
        const guarded = fn as (given: ContainerSpec) => Promise<ContainerSpec>; // see `guardWaterfall`
        // A tap may keep what it answered, and change it when the spec has been checked.
        current = plainCopy(await guarded(deepFreeze(structuredClone(current))));
        check?.(current, name);
      }
      return current;
    },
    containerExit: async (exit) => await hooks.containerExit.promise(deepFreeze({ ...exit })),
  };
}

/** The guard has seen that it is made of maps, lists and single values only. */
function plainCopy(spec: ContainerSpec): ContainerSpec {
  return structuredClone(spec);
}
