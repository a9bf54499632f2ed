import type { Runtime } from '@portolan/plugin-api';

interface Count {
  calls: number;
  ms: number;
}

/** Number and duration of the calls to a container runtime, by function. Keeps no arguments. */
export class CallCounts {
  readonly #counts = new Map<string, Count>();
  readonly #clock: () => number;

  /** `clock` returns milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  watch(runtime: Runtime): Runtime {
    const close = (): Promise<void> => runtime.close();
    return runtime.runs === 'containers'
      ? { runs: 'containers', engine: this.#counted(runtime.engine), close }
      : { runs: 'workloads', host: this.#counted(runtime.host), close };
  }

  #counted<Asked extends object>(request: Asked): Asked {
    return new Proxy(request, {
      get: (target, name) => {
        const match: unknown = Reflect.get(target, name, target);
        if (typeof match !== 'function' || typeof name !== 'string') return match;
        return (...values: unknown[]): unknown =>
          this.#count(name, () => Reflect.apply(match, target, values));
      },
    });
  }

  /** Returns `inspectImage 2 (0.01 s), createContainer 1 (0.12 s)`; an empty text without calls. */
  describe(): string {
    return [...this.#counts]
      .toSorted(([, one], [, other]) => other.ms - one.ms)
      .map(([name, { calls, ms }]) => `${name} ${calls} (${(ms / 1000).toFixed(2)} s)`)
      .join(', ');
  }

  #count(name: string, call: () => unknown): unknown {
    const count = this.#counts.get(name) ?? { calls: 0, ms: 0 };
    this.#counts.set(name, count);
    count.calls += 1;
    const sinceMs = this.#clock();
    const end = (): void => {
      count.ms += this.#clock() - sinceMs;
    };
    const result = call();
    // do not measure a stream: its duration depends on its reader
    if (!(result instanceof Promise)) return result;
    result.then(end, end);
    return result;
  }
}
