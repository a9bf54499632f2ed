/** Exit status after a signal: 128 plus its number, as in shells. */
export const SIGNAL_STATUS = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof SIGNAL_STATUS;

export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

export interface StopSignals {
  /** Aborts at the first stop signal. */
  readonly signal: AbortSignal;
  readonly received: Promise<StopSignal>;
  close(): void;
}

export interface StopOptions {
  readonly signals: readonly StopSignal[];
  /** Called at each SIGHUP if SIGHUP is not a stop signal. Without a listener, it would end the process. */
  readonly hungUp?: () => void;
  readonly end: (status: number) => unknown;
}

/**
 * Listens for stop signals. The first one aborts; the second one calls `end` at once with 128 plus its
 * number.
 */
export function listenForStop(process: SignalSource, { signals, hungUp, end }: StopOptions): StopSignals {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  const stop = (name: NodeJS.Signals): void => {
    // SAFETY: the listener is only registered for these signals, below.
    const signal = name as StopSignal;
    if (controller.signal.aborted) end(SIGNAL_STATUS[signal]);
    controller.abort(new Error(`stopped by ${signal}`));
    resolve(signal);
  };
  for (const signal of signals) process.on(signal, stop);
  if (hungUp !== undefined) process.on('SIGHUP', hungUp);
  return {
    signal: controller.signal,
    received: promise,
    close: () => {
      for (const signal of signals) process.off(signal, stop);
      if (hungUp !== undefined) process.off('SIGHUP', hungUp);
    },
  };
}
