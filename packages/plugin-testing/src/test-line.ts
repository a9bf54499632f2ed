import type { Socket } from 'node:net';

/** Network between a test server and its clients, which a test can slow down or cut. */
export class TestLine {
  readonly #sockets = new Set<Socket>();
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();
  #delayMs = 0;
  #cut = false;

  join(socket: Socket): void {
    if (this.#cut) return void socket.destroy();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  cut(): void {
    this.#cut = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#release();
  }

  mend(): void {
    this.#cut = false;
  }

  setDelay(ms: number): void {
    this.#delayMs = ms;
    this.#release();
  }

  async wait(): Promise<void> {
    if (this.#delayMs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(timer);
        resolve();
      }, this.#delayMs);
      this.#waiting.set(timer, resolve);
    });
  }

  #release(): void {
    for (const [timer, resolve] of this.#waiting) {
      clearTimeout(timer);
      resolve();
    }
    this.#waiting.clear();
  }
}
