import { hash } from 'node:crypto';
import { type Identity, parseDuration } from '@portolan/plugin-api';
import type { RequestedBucket } from './buckets.ts';
import type { RateLimitConfig } from './rate-limit-config.ts';
import { type BucketSize, bucketSize } from './token-bucket.ts';

interface Limit {
  readonly name: string;
  readonly size: BucketSize;
  readonly isPerCaller: boolean;
}

interface Scope {
  readonly global?: Bucket;
  readonly shared?: Bucket;
  readonly perUser?: Bucket;
}
type Bucket = NonNullable<RateLimitConfig['global']>;

export interface LimitedCall {
  readonly method: string;
  /** Called tool, by the server's name. */
  readonly tool: string | undefined;
  readonly caller: Identity | undefined;
}

export class Limits {
  readonly #methods: ReadonlySet<string>;
  readonly #ofAll: readonly Limit[];
  readonly #ofTools: ReadonlyMap<string, readonly Limit[]>;

  constructor(config: RateLimitConfig) {
    this.#methods = new Set(config.methods);
    this.#ofAll = limitsOf(config, 'server');
    this.#ofTools = new Map(
      (config.tools ?? []).map((tool) => [
        tool.name,
        limitsOf(tool, `tool:${encodeURIComponent(tool.name)}`),
      ]),
    );
  }

  get count(): number {
    return this.#ofAll.length + [...this.#ofTools.values()].reduce((sum, limits) => sum + limits.length, 0);
  }

  /** Returns the buckets of a request; none for a request without limits. */
  bucketsOf({ method, tool, caller }: LimitedCall): readonly RequestedBucket[] {
    const counts = this.#methods.has(method) || this.#methods.has('*');
    const limits = [
      ...(counts ? this.#ofAll : []),
      ...(tool === undefined ? [] : (this.#ofTools.get(tool) ?? [])),
    ];
    if (limits.length === 0) return [];
    const own = limits.some(({ isPerCaller }) => isPerCaller) ? ownerOf(caller) : '';
    return limits.map(({ name, size, isPerCaller }) => ({
      limit: name,
      owner: isPerCaller ? own : '',
      size,
    }));
  }
}

function limitsOf(scope: Scope, name: string): readonly Limit[] {
  const { perUser } = scope;
  const global = scope.global ?? scope.shared;
  return [
    ...(global === undefined ? [] : [{ name, size: sizeOf(global), isPerCaller: false }]),
    ...(perUser === undefined ? [] : [{ name: `${name}:caller`, size: sizeOf(perUser), isPerCaller: true }]),
  ];
}

function sizeOf({ maxTokens, refillPeriod }: Bucket): BucketSize {
  return bucketSize(maxTokens, parseDuration(refillPeriod));
}

/**
 * Returns the owner of a bucket. It includes the issuer, because two issuers may use the same subject. All
 * anonymous callers share one bucket.
 */
function ownerOf(caller: Identity | undefined): string {
  if (caller === undefined) return 'nobody';
  const issuer = caller.claims['iss'];
  const text = JSON.stringify([
    typeof issuer === 'string' ? issuer : (caller.provider ?? ''),
    caller.subject,
  ]);
  return hash('sha256', text, 'base64url');
}
