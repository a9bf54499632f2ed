import { isPortolanError, type Logger, PortolanError } from '@portolan/plugin-api';
import type { AsyncParallelHook, AsyncSeriesWaterfallHook, SyncHook } from 'tapable';
import { withinTime } from '../lifetime/within-time.ts';
import { isBuiltIn } from './is-built-in.ts';
import type { FaultOf } from './tap-results.ts';

export interface WaterfallGuard {
  readonly faultOf: FaultOf;
  /**
   * Whether a tap may refuse a request by throwing an error with a code. The caller then gets that error
   * unchanged.
   */
  readonly mayRefuse?: boolean;
}

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Wraps every tap of a hook that changes a value. A tap that throws, or returns nothing or an invalid value,
 * fails the run with ERR_PLUGIN_HOOK. Freezes read-only arguments.
 */
export function guardWaterfall<T>(
  hook: AsyncSeriesWaterfallHook<T>,
  { faultOf, mayRefuse = false }: WaterfallGuard,
): void {
  const hookName = hook.name ?? '';
  hook.intercept({
    register: (tap) => {
      const run = tap.fn as AnyFunction; // tapable types it as Function
      const accept = (result: unknown, input: unknown): unknown => {
        const fault = faultOf(result, input);
        if (fault !== undefined) throw hookFailed(tap.name, hookName, fault);
        return result;
      };
      const guarded: AnyFunction = async (input, ...rest) => {
        let result: unknown;
        try {
          result = freezeList(await run(input, ...rest));
        } catch (error) {
          if (mayRefuse && isPortolanError(error)) throw error;
          throw hookFailed(tap.name, hookName, 'it threw an error', error);
        }
        return accept(result, input);
      };
      const atOnce: AnyFunction = (input, ...rest) => {
        let result: unknown;
        try {
          result = run(input, ...rest);
        } catch (error) {
          throw hookFailed(tap.name, hookName, 'it threw an error', error);
        }
        return accept(result, input);
      };
      const isOurs = tap.type === 'sync' && isBuiltIn(tap.name);
      return { ...tap, type: 'promise', fn: guarded, ...(isOurs ? { atOnce } : {}) };
    },
  });
}

/**
 * Returns the guarded synchronous function of the only tap of a hook. Undefined when there are several taps,
 * or the tap is not built-in and synchronous.
 */
export function onlyBuiltInTap({ taps }: { readonly taps: readonly object[] }): AnyFunction | undefined {
  const [tap, ...others] = taps;
  // `guardWaterfall` has added the property `atOnce`.
  const { atOnce } = (tap ?? {}) as { readonly atOnce?: AnyFunction };
  return others.length === 0 ? atOnce : undefined;
}

function freezeList<T>(value: T): T {
  // SAFETY: freezing a copy does not change its element type.
  return Array.isArray(value) ? (Object.freeze([...value]) as T) : value;
}

/**
 * Wraps every tap of a hook that only notifies plugins. A tap that fails or is too slow is logged, and the
 * caller notices nothing.
 */
export function guardTeller<T>(
  hook: AsyncParallelHook<T> | SyncHook<T>,
  logger: Logger,
  limitMs?: number,
): void {
  const hookName = hook.name ?? '';
  hook.intercept({
    register: (tap) => {
      const run = tap.fn as AnyFunction; // tapable types it as Function
      const report = (error: unknown): void => {
        logger.error({ plugin: tap.name, hook: hookName, error }, 'a plugin failed in a hook');
      };
      const guarded: AnyFunction = (...args) => {
        try {
          const pending = run(...args);
          return isThenable(pending)
            ? withinTime(() => pending, limitMs).then(() => undefined, report)
            : undefined;
        } catch (error) {
          return report(error);
        }
      };
      return tap.type === 'promise'
        ? { ...tap, fn: async (...args: unknown[]) => await guarded(...args) }
        : { ...tap, fn: guarded };
    },
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * Creates the error for a tap that threw or returned an invalid value. The message and the public message
 * name the plugin. Only the cause contains the text of the plugin's error, so clients never see that text.
 */
function hookFailed(plugin: string, hook: string, what: string, cause?: unknown): PortolanError {
  const message = `The plugin "${plugin}" failed in the hook "${hook}": ${what}.`;
  return new PortolanError('ERR_PLUGIN_HOOK', 'fault', message, {
    publicMessage: message,
    hint: 'Read the cause in the log. Remove the plugin from "plugins" until it is corrected.',
    cause,
  });
}
