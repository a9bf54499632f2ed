import type { FilterConfig } from '@portolan/kernel';
import type { JsonObject, ResourceClaims, SourceKind } from '@portolan/plugin-api';
import type { SyncStatus } from '../store/sync-status.ts';

/** The block is validated and contains no secrets. */
export interface SourceDefinition {
  readonly kind: string;
  readonly claimsFrom: SourceKind['claimsFrom'];
  readonly block: JsonObject;
  readonly filter: FilterConfig | undefined;
  readonly intervalMs: number | undefined;
  /** Whether a sync may remove most entries. */
  readonly allowShrink?: boolean | undefined;
  readonly claims: ResourceClaims;
}

export interface SourceToStore extends SourceDefinition {
  /**
   * Groups of mutually exclusive keys. A block has exactly one key of each group. The chosen key cannot be
   * changed after the source was created.
   */
  readonly variants?: readonly (readonly string[])[];
}

export interface StoredSource extends SourceDefinition {
  readonly id: number;
  readonly name: string;
  readonly creationType: 'CONFIG' | 'API';
  readonly status: SyncStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Random text that changes with every change of the definition. */
  readonly revision: string;
}

export interface RegistryDefinition {
  /** Names of the registry's sources, highest priority first. At least one, without duplicates. */
  readonly sources: readonly string[];
  readonly claims: ResourceClaims;
}

export interface StoredRegistry extends RegistryDefinition {
  readonly name: string;
  readonly creationType: 'CONFIG' | 'API';
  /** Claims of readers without a token. Undefined when the registry requires one. */
  readonly publicClaims: ResourceClaims | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: string;
}
