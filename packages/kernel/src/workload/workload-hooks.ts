import type { ContainerSpec, Hooks } from '@portolan/plugin-api';
import { deepFreeze } from '../hooks/deep-freeze.ts';
import type { WorkloadKernelHooks } from './workload-kernel.ts';

/** The hooks around containers as hosts run them. What is tapped later counts at once. */
export function workloadHooks(hooks: Hooks): WorkloadKernelHooks {
  return {
    containerStart: async (spec) => {
      if (hooks.containerStart.taps.length === 0) return spec;
      const answer = await hooks.containerStart.promise(deepFreeze(structuredClone(spec)));
      // A tap may keep what it answered, and change it when the spec has been checked.
      return plainCopy(answer);
    },
    containerExit: async (exit) => await hooks.containerExit.promise(deepFreeze({ ...exit })),
  };
}

/** The guard has seen that it is made of maps, lists and single values only. */
function plainCopy(spec: ContainerSpec): ContainerSpec {
  return structuredClone(spec);
}
