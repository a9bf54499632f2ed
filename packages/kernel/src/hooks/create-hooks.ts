import type { Hooks, Logger } from '@portolan/plugin-api';
import { AsyncParallelHook, AsyncSeriesWaterfallHook, SyncHook } from 'tapable';
import { faultOfContainerSpec } from './container-spec-fault.ts';
import { guardTeller, guardWaterfall } from './guard-taps.ts';
import { faultOfFilter, faultOfPublishRequest, faultOfRoles } from './tap-results.ts';

/**
 * Creates all hooks. Wraps every tap that plugins add later, so that an error of the tap names its plugin.
 */
export function createHooks(logger: Logger, limitMs?: number): Hooks {
  const hooks: Hooks = {
    resolveRoles: new AsyncSeriesWaterfallHook(['roles', 'identity'], 'resolveRoles'),
    filterEntries: new AsyncSeriesWaterfallHook(['entries', 'caller', 'registry'], 'filterEntries'),
    beforePublish: new AsyncSeriesWaterfallHook(['request', 'caller'], 'beforePublish'),
    containerStart: new AsyncSeriesWaterfallHook(['spec'], 'containerStart'),
    containerExit: new AsyncParallelHook(['exit'], 'containerExit'),
    accessDecided: new SyncHook(['record'], 'accessDecided'),
    syncCompleted: new AsyncParallelHook(['record'], 'syncCompleted'),
  };
  guardWaterfall(hooks.resolveRoles, { faultOf: faultOfRoles });
  guardWaterfall(hooks.filterEntries, { faultOf: faultOfFilter });
  guardWaterfall(hooks.beforePublish, { faultOf: faultOfPublishRequest, mayRefuse: true });
  guardWaterfall(hooks.containerStart, { faultOf: faultOfContainerSpec });
  guardTeller(hooks.containerExit, logger, limitMs);
  guardTeller(hooks.accessDecided, logger, limitMs);
  guardTeller(hooks.syncCompleted, logger, limitMs);
  return hooks;
}
