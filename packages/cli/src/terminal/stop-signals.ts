/** What a signal leaves behind: 128 and its number, as shells count. */
export const SIGNAL_STATUS = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof SIGNAL_STATUS;

/** The part of the process that is used here. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

export interface StopSignals {
  /** Aborts with the first signal that asks to stop. */
  readonly signal: AbortSignal;
  /** Settles then, with its name. */
  readonly asked: Promise<StopSignal>;
  /** Listens no longer. */
  close(): void;
}

export interface StopOptions {
  /** Signals that ask to stop. */
  readonly signals: readonly StopSignal[];
  /** Called with each SIGHUP, where that does not ask to stop; without a listener it would end the process. */
  readonly hungUp?: () => void;
  /** Ends the process. */
  readonly end: (status: number) => unknown;
}

/**
 * Listens for what asks a command to stop. The first signal asks, a second one
 * calls `end` at once with 128 and its number.
 */
export function listenForStop(process: SignalSource, { signals, hungUp, end }: StopOptions): StopSignals {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  const stop = (name: NodeJS.Signals): void => {
    // Registered below for these only.
    const signal = name as StopSignal;
    if (controller.signal.aborted) end(SIGNAL_STATUS[signal]);
    controller.abort(new Error(`stopped by ${signal}`));
    resolve(signal);
  };
  for (const signal of signals) process.on(signal, stop);
  if (hungUp !== undefined) process.on('SIGHUP', hungUp);
  return {
    signal: controller.signal,
    asked: promise,
    close: () => {
      for (const signal of signals) process.off(signal, stop);
      if (hungUp !== undefined) process.off('SIGHUP', hungUp);
    },
  };
}
