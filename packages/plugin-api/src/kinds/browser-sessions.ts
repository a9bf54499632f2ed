import type { JsonObject } from '../entry.ts';

/**
 * Browser sessions of logged-in users: database rows that all replicas share, encrypted with keys outside of
 * the database. Sessions expire, and an expired session does not exist.
 */
export interface BrowserSessions {
  /** Creates a session. Returns its id of 256 random bits, which only the browser's cookie contains. */
  begin(data: JsonObject): Promise<string>;
  /** Returns the data of a session; undefined for an unknown id. Counts as a use. */
  find(id: string): Promise<JsonObject | undefined>;
  /**
   * Changes a session exclusively among all replicas: concurrent callers wait and see the result. The result
   * of `change` is stored; undefined ends the session. Returns the stored data. Throws the reason of the
   * signal or what `change` throws, and then nothing changes.
   */
  change(
    id: string,
    change: (data: JsonObject) => Promise<JsonObject | undefined>,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined>;
  /** Ends a session. Returns whether it existed. */
  end(id: string): Promise<boolean>;
  /** Encrypts data for a cookie, bound to a purpose and a lifetime. Only replicas can decrypt it. */
  seal(purpose: string, data: JsonObject, lifeMs: number): string;
  /**
   * Decrypts a cookie. Undefined for text that was not sealed here for this purpose, was modified, or has
   * expired.
   */
  unseal(purpose: string, text: string): JsonObject | undefined;
}
