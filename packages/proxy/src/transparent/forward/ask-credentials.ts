import { createHash } from 'node:crypto';
import {
  type ClientExchange,
  type ForwardedHeader,
  memberOf,
  type OutgoingCredentials,
  type OutgoingRequest,
} from '@portolan/plugin-api';
import { credentialsBroken } from '../../errors/backend-errors.ts';
import { checkForwardedHeader } from '../../request/forward-headers.ts';
import { markThrown } from '../../request/http-errors.ts';
import { isPromise } from '../../policy/is-promise.ts';
import { middlewareBroken } from '../../policy/policy-errors.ts';
import type { Policy } from '../../policy/policy.ts';

export interface CredentialSources {
  readonly backend: Pick<OutgoingCredentials, 'credentials'> | undefined;
  readonly policy: Pick<Policy, 'proving'> | undefined;
}

export interface UnprovenRequest {
  readonly method: string;
  readonly url: URL;
  /** Headers, name and value alternating. */
  readonly headers: readonly string[];
  readonly body: string | Buffer | undefined;
}

export function hasCredentials({ backend, policy }: CredentialSources): boolean {
  return backend !== undefined || (policy !== undefined && policy.proving.length > 0);
}

export interface Proof {
  readonly headers: readonly string[];
  readonly provided: ReadonlySet<string>;
}

/**
 * Adds credentials to a request. Those of the server come first; later ones replace earlier ones. Returns a
 * promise only when a source is asynchronous.
 */
export function askCredentials(
  sources: CredentialSources,
  unproven: UnprovenRequest,
  exchange: ClientExchange | undefined,
  signal: AbortSignal,
): Proof | Promise<Proof> {
  const collecting = collectCredentials(sources, new SeenOutgoing(unproven), exchange, signal);
  return isPromise(collecting)
    ? Promise.resolve(collecting).then((all) => proofOf(unproven.headers, all))
    : proofOf(unproven.headers, collecting);
}

/** Returns the credentials of a request, in the order of their sources. Does not add them. */
export function collectCredentials(
  { backend, policy }: CredentialSources,
  outgoing: OutgoingRequest,
  exchange: ClientExchange | undefined,
  signal: AbortSignal,
): readonly ForwardedHeader[] | Promise<readonly ForwardedHeader[]> {
  const proving = exchange === undefined ? [] : (policy?.proving ?? []);
  const all: ForwardedHeader[] = [];
  try {
    const collecting = backend === undefined ? askFrom(0) : askBackend(backend);
    return collecting instanceof Promise ? collecting.catch(deny) : collecting;
  } catch (error) {
    return deny(error);
  }

  async function askBackend(
    request: NonNullable<CredentialSources['backend']>,
  ): Promise<readonly ForwardedHeader[]> {
    all.push(...checked(await request.credentials(outgoing, signal), credentialsBroken));
    return await askFrom(0);
  }

  function askFrom(first: number): readonly ForwardedHeader[] | Promise<readonly ForwardedHeader[]> {
    for (let at = first; at < proving.length; at += 1) {
      const middleware = proving[at];
      if (middleware === undefined || exchange === undefined) continue;
      const take = (input: unknown): void => {
        all.push(...checked(input, (what, cause) => middlewareBroken(middleware.name, what, cause)));
      };
      const giving = middleware.instance.credentials?.(outgoing, exchange, signal);
      if (isPromise(giving)) {
        return Promise.resolve(giving).then((forwardedHeaders) => {
          take(forwardedHeaders);
          return askFrom(at + 1);
        });
      }
      take(giving);
    }
    return all;
  }
}

/** Refuses the message and not its HTTP request, because a 401 would make the client log in. */
function deny(error: unknown): never {
  throw markThrown(error);
}

const NOTHING: ReadonlySet<string> = new Set();

function proofOf(headers: readonly string[], all: readonly ForwardedHeader[]): Proof {
  if (all.length === 0) return { headers, provided: NOTHING };
  const inputs = new Map<string, string>();
  for (const { name, value } of all) inputs.set(name.toLowerCase(), value);
  const proven: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!inputs.has(name.toLowerCase())) proven.push(name, headers[at + 1] ?? '');
  }
  for (const [name, value] of inputs) proven.push(name, value);
  return { headers: proven, provided: new Set(inputs.keys()) };
}

/** Request as a credential source sees it. Fields are computed on access, because most sources use few. */
class SeenOutgoing implements OutgoingRequest {
  readonly method: string;
  /** A property of the object itself, because a source may destructure it. */
  readonly bodyHash = async (): Promise<string> =>
    createHash('sha256')
      .update(this.#of.body ?? '')
      .digest('hex');
  readonly #of: UnprovenRequest;
  #url: URL | undefined;
  #headers: OutgoingRequest['headers'] | undefined;

  constructor(of: UnprovenRequest) {
    this.method = of.method;
    this.#of = of;
  }

  get url(): URL {
    return (this.#url ??= new URL(this.#of.url));
  }

  get headers(): OutgoingRequest['headers'] {
    return (this.#headers ??= recordOf(this.#of.headers));
  }
}

/**
 * Validates the headers from a source, which may not be written in TypeScript. Errors do not contain values.
 */
function checked(
  input: unknown,
  broken: (what: string, cause?: unknown) => Error,
): readonly ForwardedHeader[] {
  if (!Array.isArray(input)) throw broken('its credentials are not a list of headers');
  return input.map((header: unknown) => {
    const [name, value] = [memberOf(header, 'name'), memberOf(header, 'value')];
    if (typeof name !== 'string' || typeof value !== 'string')
      throw broken('one of its credentials is not a name and a value');
    try {
      checkForwardedHeader({ name, value });
    } catch (error) {
      throw broken('one of its credentials cannot be sent', error);
    }
    return { name, value };
  });
}

export function recordOf(headers: readonly string[]): Record<string, string | readonly string[]> {
  const record: Record<string, string | readonly string[]> = Object.create(null);
  for (let at = 0; at < headers.length; at += 2) {
    const name = String(headers[at]).toLowerCase();
    const before = record[name];
    const value = headers[at + 1] ?? '';
    record[name] = before === undefined ? value : [before, value].flat();
  }
  return record;
}
