import type { JsonObject } from '../entry.ts';

/**
 * What is remembered of browsers in which people are logged in: rows of the
 * registry's database, which all replicas see, encrypted with keys that do not
 * lie there. A session ends by itself, and whatever has ended is as if it had
 * never been.
 */
export interface BrowserSessions {
  /** Begins a session; its id, 256 random bits, is for the browser's cookie, and stands nowhere else. */
  begin(data: JsonObject): Promise<string>;
  /** What is remembered; undefined for an id of no session. Counts as a use. */
  find(id: string): Promise<JsonObject | undefined>;
  /**
   * Changes a session, alone among all replicas: who comes at the same time waits, and
   * sees what the first has made of it. What `change` answers with is remembered; with
   * undefined the session ends. Gives what is remembered then. Throws the reason of the
   * signal, and what `change` throws; then nothing is changed.
   */
  change(
    id: string,
    change: (data: JsonObject) => Promise<JsonObject | undefined>,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined>;
  /** Ends a session; whether there was one. */
  end(id: string): Promise<boolean>;
  /** Text for a cookie that only a replica can read, for this purpose alone and for so long. */
  seal(purpose: string, data: JsonObject, lifeMs: number): string;
  /** Undefined for what was not sealed here for this purpose, was changed, or is too old. */
  unseal(purpose: string, text: string): JsonObject | undefined;
}
