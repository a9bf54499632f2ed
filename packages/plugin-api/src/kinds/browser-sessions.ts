import type { JsonObject } from '../entry.ts';

/**
 * Sessions of logged-in users: database rows that all replicas share, encrypted with keys outside of the
 * database. An expired session does not exist.
 */
export interface BrowserSessions {
  /**
   * Starts a session. Returns its id of 256 random bits, which is stored nowhere but in the browser's cookie.
   */
  begin(data: JsonObject): Promise<string>;
  /**
   * Returns the data of a session; undefined for an unknown id. Each call extends the session's idle time.
   */
  find(id: string): Promise<JsonObject | undefined>;
  /**
   * Changes a session exclusively among all replicas. The result of `change` is stored; undefined ends the
   * session. Returns the stored data. When the signal aborts or `change` throws, nothing changes.
   */
  change(
    id: string,
    change: (data: JsonObject) => Promise<JsonObject | undefined>,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined>;
  /** Ends a session. Returns whether it existed. */
  end(id: string): Promise<boolean>;
  /** Encrypts data for a cookie, bound to a purpose and a lifetime. */
  seal(purpose: string, data: JsonObject, lifeMs: number): string;
  /**
   * Decrypts data from `seal`. Returns undefined for modified or expired text, and for text that was sealed
   * for another purpose.
   */
  unseal(purpose: string, text: string): JsonObject | undefined;
}
