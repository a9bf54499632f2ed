import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Content of a `requestState`. */
export interface SealedCall {
  /** Id of the parked call. */
  readonly call: string;
  /** Caller that may continue the call. */
  readonly owner: string | undefined;
  /** End of validity by the monotonic clock of this process. */
  readonly untilMs: number;
}

/**
 * Encrypts and authenticates the `requestState` of parked calls. The key lives as long as the process, because the
 * parked calls do.
 */
export class CallSeal {
  readonly #key = randomBytes(32);

  seal({ call, owner, untilMs }: SealedCall): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv);
    const text = JSON.stringify([call, owner ?? null, untilMs]);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Returns undefined for a state that this object has not sealed. */
  open(state: string): SealedCall | undefined {
    const bytes = Buffer.from(state, 'base64url');
    if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      // SAFETY: the text is authentic, so `seal` wrote it.
      const [call, owner, untilMs] = JSON.parse(text.toString('utf8')) as [string, string | null, number];
      return { call, owner: owner ?? undefined, untilMs };
    } catch {
      return undefined;
    }
  }
}
