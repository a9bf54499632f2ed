import { anonymousPolicy, authOnlyPolicy, choosePolicy, createFullPolicy } from '@portolan/authorization';
import { type ClaimSet, isPortolanError, type Role } from '@portolan/plugin-api';
import type { Actor, Publication, SourceDefinition } from '@portolan/registry';

const full = createFullPolicy({});

/** Somebody with these claims, under full authorization; roles are not looked at by the store. */
export function holding(claims: ClaimSet, roles: readonly Role[] = ['manageEntries']): Actor {
  return { policy: full, caller: { subject: 'ada', claims, roles } };
}

export const superAdmin = holding({}, ['superAdmin']);
export const nobody: Actor = { policy: full, caller: undefined };
export const authOnly: Actor = {
  policy: authOnlyPolicy,
  caller: { subject: 'ada', claims: {}, roles: ['superAdmin'] },
};
/** A caller of a server with `auth.requireClaims: false`. */
export const authOnlyUnlabelled: Actor = {
  ...authOnly,
  policy: choosePolicy({ identifies: true, authz: undefined, requireClaims: false }),
};
export const anonymous: Actor = { policy: anonymousPolicy, caller: undefined };

/** Whoever claims are not checked for. */
export const UNCHECKED = [
  ['a superAdmin', superAdmin],
  ['everybody in auth-only mode', authOnly],
  ['everybody in anonymous mode', anonymous],
] as const;

export const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

export function serverOf(name: string, version = '1.0.0', more: object = {}): Publication {
  return {
    type: 'server',
    document: { $schema: SCHEMA, name, version, description: 'about it', ...more },
    claims: undefined,
    source: undefined,
  };
}

export function skillOf(namespace: string, name: string, version = '1.0.0'): Publication {
  return {
    type: 'skill',
    document: { namespace, name, version, description: 'about it' },
    claims: undefined,
    source: undefined,
  };
}

export function gitSource(more: Partial<SourceDefinition> = {}): SourceDefinition {
  return {
    kind: 'git',
    claimsFrom: 'source',
    block: { repository: 'https://git.acme.example/catalog.git' },
    filter: undefined,
    intervalMs: 60_000,
    claims: {},
    ...more,
  };
}

export function managedSource(more: Partial<SourceDefinition> = {}): SourceDefinition {
  return gitSource({ kind: 'managed', claimsFrom: 'publisher', block: {}, intervalMs: undefined, ...more });
}

/** The code and message of what a promise throws; the code is `none` when it does not. */
export async function refusal(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string; hint?: string | undefined }> {
  try {
    await promise;
  } catch (error) {
    if (isPortolanError(error)) return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
  return { code: 'none', message: '' };
}

export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return (await refusal(promise)).code;
}
