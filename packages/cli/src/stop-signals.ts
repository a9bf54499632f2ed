import { SIGNAL_STATUS } from './exit-status.ts';

type StopSignal = keyof typeof SIGNAL_STATUS;

/** The part of the process that is used here. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

export interface StopSignals {
  /** Aborts with the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** Settles then, with its name. */
  readonly asked: Promise<StopSignal>;
  /** Listens no longer. */
  close(): void;
}

/**
 * Listens for what asks a server to stop. The first SIGTERM or SIGINT asks, a
 * second one calls `end` at once with 128 and its number. SIGHUP is handed on each
 * time; without a listener it would end the process.
 */
export function listenForStop(
  process: SignalSource,
  { hungUp, end }: { readonly hungUp: () => void; readonly end: (status: number) => unknown },
): StopSignals {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  const stop = (name: NodeJS.Signals): void => {
    // Registered below for these two only.
    const signal = name as StopSignal;
    if (controller.signal.aborted) end(SIGNAL_STATUS[signal]);
    controller.abort(new Error(`stopped by ${signal}`));
    resolve(signal);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', hungUp);
  return {
    signal: controller.signal,
    asked: promise,
    close: () => {
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
      process.off('SIGHUP', hungUp);
    },
  };
}
