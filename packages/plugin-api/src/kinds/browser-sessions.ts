import type { JsonObject } from '../entry.ts';

/**
 * Sessions of logged-in users: database rows that all replicas share, encrypted with keys outside of the
 * database. An expired session does not exist.
 */
export interface BrowserSessions {
  /** Returns an id of 256 random bits, which only the browser's cookie contains. */
  begin(data: JsonObject): Promise<string>;
  /** Returns undefined for an unknown id. Counts as a use. */
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
  /** Returns whether the session existed. */
  end(id: string): Promise<boolean>;
  /** Encrypts data for a cookie, bound to a purpose and a lifetime. */
  seal(purpose: string, data: JsonObject, lifeMs: number): string;
  /** Returns undefined for text of another purpose, modified or expired text. */
  unseal(purpose: string, text: string): JsonObject | undefined;
}
