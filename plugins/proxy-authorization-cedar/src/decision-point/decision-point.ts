import { askDocument, faultIn, reasonIn } from '@portolan/outbound';
import { isJsonObject } from '@portolan/plugin-api';
import type { DecisionPointSettings } from './decision-point-config.ts';
import type { DecisionQuestion } from './decision-question.ts';

/** Decision of the external service. `fault` says why there is no valid decision. */
export type Decision = 'allowed' | 'denied' | { readonly fault: string };

const MAX_BYTES = 64 * 1024;
/** Maximum size of a question in JSON characters, because clients choose names and arguments. */
const MAX_QUESTION_CHARACTERS = 1024 * 1024;
const SECONDS = 30;

export class DecisionPoint {
  readonly #address: URL;
  readonly #timeoutMs: number;
  readonly #fetch: typeof globalThis.fetch;
  readonly #closing = new AbortController();

  constructor({ url, timeout }: DecisionPointSettings['http'], fetch: typeof globalThis.fetch) {
    this.#address = new URL(`${url.replace(/\/+$/, '')}/decision`);
    this.#timeoutMs = (timeout || SECONDS) * 1000;
    this.#fetch = fetch;
  }

  /** Requests a decision. Allows only with status 200 and a JSON object whose `allow` is true. */
  async decide(question: DecisionQuestion): Promise<Decision> {
    const body = JSON.stringify(question);
    if (body.length > MAX_QUESTION_CHARACTERS) {
      return { fault: `the question has ${body.length} characters, more than ${MAX_QUESTION_CHARACTERS}` };
    }
    try {
      const { status, bytes } = await askDocument(this.#address, {
        fetch: this.#fetch,
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body,
        timeoutMs: this.#timeoutMs,
        signal: this.#closing.signal,
        redirects: { max: 0, refuse: () => 'decisions are made at one address' },
        maxBytes: MAX_BYTES,
      });
      return status === 200 ? readDecision(bytes) : { fault: `it responded with status ${status}` };
    } catch (error) {
      const kind = faultIn(error)?.kind;
      if (kind === 'time') return { fault: `it did not respond within ${this.#timeoutMs / 1000} s` };
      if (kind === 'size') return { fault: `it responded with more than ${MAX_BYTES} bytes` };
      if (kind === 'redirect' || kind === 'redirects')
        return { fault: 'it redirects, which is not followed' };
      return { fault: `the request failed: ${reasonIn(error)}` };
    }
  }

  close(): void {
    this.#closing.abort();
  }
}

function readDecision(bytes: Buffer): Decision {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { fault: 'its response is not JSON' };
  }
  const allow = isJsonObject(body) ? body['allow'] : undefined;
  if (typeof allow !== 'boolean') return { fault: 'its response has no boolean `allow`' };
  return allow ? 'allowed' : 'denied';
}
