/** Duration of each step of a command, printed when the next one begins, for --debug. */
export class StepTimes {
  readonly #tell: (line: string) => void;
  readonly #clock: () => number;
  readonly #startedMs: number;
  #step: { readonly text: string; readonly sinceMs: number } | undefined;

  constructor(tell: (line: string) => void, clock: () => number) {
    this.#tell = tell;
    this.#clock = clock;
    this.#startedMs = clock();
  }

  step(text: string): void {
    if (text === this.#step?.text) return;
    const now = this.#end();
    this.#step = { text, sinceMs: now };
  }

  finish(): void {
    if (this.#step === undefined) return;
    const now = this.#end();
    this.#tell(`debug: total: ${seconds(now - this.#startedMs)}`);
  }

  #end(): number {
    const now = this.#clock();
    const step = this.#step;
    this.#step = undefined;
    if (step !== undefined) this.#tell(`debug: ${step.text}: ${seconds(now - step.sinceMs)}`);
    return now;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
