import type { ApiResponse, EntryType, ResourceClaims, Role } from '@portolan/plugin-api';

/** Source in responses of the API, as `/openapi.json` describes it. */
export interface SourceResponse {
  readonly name: string;
  readonly type: string;
  readonly creationType: 'CONFIG' | 'API';
  readonly sourceConfig: Readonly<Record<string, unknown>>;
  readonly filterConfig?: FilterResponse;
  readonly syncSchedule?: string;
  readonly allowShrink?: boolean;
  readonly claims?: ResourceClaims;
  readonly syncStatus?: SyncResponse;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface FilterResponse {
  readonly names?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  readonly tags?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
}

export interface SyncResponse {
  readonly phase: 'complete' | 'syncing' | 'failed' | 'held';
  readonly lastSyncTime?: string;
  readonly lastAttempt?: string;
  readonly lastGoodTime?: string;
  readonly revision?: string;
  readonly attemptCount?: number;
  readonly serverCount: number;
  readonly skillCount: number;
  readonly pluginCount: number;
  readonly skippedCount?: number;
  readonly skipped?: readonly { readonly skipped: string; readonly because: string }[];
  readonly warningCount?: number;
  readonly warnings?: readonly { readonly entry: string; readonly warning: string }[];
  readonly message: string;
}

export interface SourceKindResponse {
  readonly kind: string;
  readonly claimsFrom: 'source' | 'entry' | 'publisher';
  readonly viaApi: boolean;
  readonly needsInterval: boolean;
  readonly schema: JsonSchema;
}

/** Part of JSON Schema that the forms of source kinds support. */
export interface JsonSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | false;
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
  readonly writeOnly?: boolean;
}

export interface RegistryResponse {
  readonly name: string;
  readonly creationType: 'CONFIG' | 'API';
  readonly sources: readonly string[];
  readonly claims?: ResourceClaims;
  readonly public?: true;
  readonly publicClaims?: ResourceClaims;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ListedVersion {
  readonly version: string;
  readonly title?: string;
  readonly description: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly isLatest?: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ManagedEntryResponse {
  readonly type: EntryType;
  readonly name: string;
  readonly source: string;
  readonly claims: ResourceClaims;
  readonly versions: readonly ListedVersion[];
}

export interface ModeResponse {
  readonly mode: 'full' | 'auth-only' | 'anonymous';
}

export interface CallerResponse {
  readonly subject: string;
  readonly roles: readonly Role[];
}

export interface ErrorResponse {
  readonly error?: string;
  readonly code?: string;
  readonly hint?: string;
  readonly requestId?: string;
  readonly issues?: readonly Issue[];
}

export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
  readonly severity?: 'error' | 'warning' | 'info';
  readonly reference?: string;
}

/** Returns the body of a response as the type that the API description states. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what is taken on trust
export function said<T>({ json }: ApiResponse): T {
  // The response comes from the API of this process, whose tests check it against that description.
  return (json ?? {}) as T;
}
