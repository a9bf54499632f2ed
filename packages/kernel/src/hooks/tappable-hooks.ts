import type { Hooks, TappableHooks } from '@portolan/plugin-api';
import { nearest } from '@portolan/plugin-api';

interface TapOptions {
  readonly name: string;
  readonly stage?: number;
  readonly before?: string;
  readonly cacheKey?: unknown;
}

/**
 * Returns the hooks for one plugin. The plugin can tap them under its own name but not call them. Throws a
 * TypeError for an unknown hook, and for a tap that is not a function.
 */
export function tappableFor(plugin: string, hooks: Hooks): TappableHooks {
  const names = Object.keys(hooks) as (keyof Hooks)[]; // `createHooks` writes exactly these keys
  const facades = names.map((name) => [name, tappable(plugin, name, hooks[name])] as const);
  // Each facade has the three members that Tappable picks from its hook.
  const tappables = Object.freeze(Object.fromEntries(facades)) as unknown as TappableHooks;
  return new Proxy(tappables, { get: getHook });
}

function getHook(hooks: TappableHooks, name: string | symbol): unknown {
  // Code that prints or awaits an object reads these properties, so they must not throw.
  if (name in hooks || typeof name === 'symbol' || ['then', 'toJSON', 'constructor'].includes(name)) {
    return Reflect.get(hooks, name);
  }
  const names = Object.keys(hooks);
  const meant = nearest(name, names);
  const instead = meant === undefined ? `expected ${names.join(', ')}` : `did you mean "${meant}"?`;
  throw new TypeError(`unknown hook "${name}" (${instead})`);
}

type Tapping = (options: TapOptions, tap: (...args: never[]) => unknown) => void;

function tappable(plugin: string, name: string, hook: Hooks[keyof Hooks]): object {
  const checked =
    (method: Tapping) =>
    (options: unknown, tap: unknown): void => {
      if (typeof tap !== 'function') throw new TypeError(`a tap of "${name}" must be a function`);
      // SAFETY: a tap is a function with the arguments of its hook.
      method(ownOptions(plugin, options), tap as (...args: never[]) => unknown);
    };
  // The hooks differ only in the arguments of their taps, which pass through here unchanged.
  const { tap } = hook as unknown as { readonly tap: Tapping };
  const { tapPromise } = hook as unknown as { readonly tapPromise?: Tapping };
  return Object.freeze({
    name,
    tap: checked(tap.bind(hook)),
    ...(tapPromise === undefined ? {} : { tapPromise: checked(tapPromise.bind(hook)) }),
  });
}

/** Omits options that tapable would let the plugin overwrite. */
function ownOptions(plugin: string, options: unknown): TapOptions {
  const input: { stage?: unknown; before?: unknown; cacheKey?: unknown } =
    typeof options === 'object' && options !== null ? options : {};
  return {
    name: plugin,
    ...(typeof input.stage === 'number' ? { stage: input.stage } : {}),
    ...(typeof input.before === 'string' ? { before: input.before } : {}),
    ...(typeof input.cacheKey === 'function' ? { cacheKey: input.cacheKey } : {}),
  };
}
