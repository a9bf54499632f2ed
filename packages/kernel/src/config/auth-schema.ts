import { ROLES, type Role } from '@portolan/plugin-api';
import type { JsonSchema } from './json-schema.ts';

export const AUTH_KEYS = ['mode', 'authz', 'publicPaths', 'claims', 'requireClaims'] as const;

const OPERATIONAL_PATHS = [
  '/',
  '/health',
  '/readiness',
  '/version',
  '/openapi.json',
  '/openapi.yaml',
  '/.well-known',
  '/metrics',
];

export const OPEN_ANYWAY: readonly string[] = OPERATIONAL_PATHS.filter((path) => path !== '/');

/** Rule of a role. The caller needs at least one listed value of every claim. */
export type ConfiguredRoleRule = Readonly<Record<string, string | readonly string[]>>;

export interface AuthConfig {
  readonly mode: string;
  readonly authz:
    | { readonly roles: Readonly<Partial<Record<Role, readonly ConfiguredRoleRule[]>>> }
    | undefined;
  readonly publicPaths: readonly string[];
  /** JSON pointer of each claim's value in the token. */
  readonly claims: Readonly<Record<string, string>>;
  /** Whether a publish requires claims. Only auth-only mode accepts `false`. */
  readonly requireClaims: boolean;
}

type Expecting = (schema: JsonSchema, expected: string) => JsonSchema;

export function claimsSchema(expecting: Expecting, description: string): JsonSchema {
  return {
    type: 'object',
    description,
    additionalProperties: expecting(
      { type: ['string', 'array'], items: { type: 'string' } },
      'a text or a list of texts',
    ),
  };
}

export function authProperties(
  expecting: Expecting,
  modes: readonly string[],
): Readonly<Record<(typeof AUTH_KEYS)[number], JsonSchema>> {
  return {
    mode: {
      type: 'string',
      enum: modes,
      description: 'Auth provider that identifies callers. Has no default.',
    },
    authz: authzSchema(expecting),
    publicPaths: {
      type: 'array',
      default: [],
      description:
        'Paths that need no token, in addition to /health, /openapi.json and similar. To publish data, set `public: true` on a registry.',
      items: expecting(
        { type: 'string', enum: OPERATIONAL_PATHS },
        `one of ${OPERATIONAL_PATHS.join(', ')}; data is made public with "public: true" on a registry`,
      ),
    },
    claims: {
      type: 'object',
      default: {},
      description: 'Claims that come from another place of the token: name to JSON pointer (RFC 6901).',
      additionalProperties: expecting(
        { type: 'string', pattern: '^(/([^/~]|~[01])*)+$', examples: ['/realm_access/roles'] },
        'a JSON pointer such as /realm_access/roles',
      ),
    },
    requireClaims: {
      type: 'boolean',
      default: true,
      description:
        'Whether a publish needs claims. `false` requires a mode that identifies callers, without `authz`: a publish may then omit claims.',
    },
  };
}

const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  superAdmin: 'May do everything, whatever the claims of a resource.',
  manageSources: 'May make, change and remove sources.',
  manageRegistries: 'May make, change and remove registries.',
  manageEntries: 'May publish, change and remove entries.',
};

function authzSchema(expecting: Expecting): JsonSchema {
  const role = (name: Role): JsonSchema => ({
    type: 'array',
    description: `${ROLE_MEANINGS[name]} Callers whose claims satisfy one of these rules have the role.`,
    default: [],
    items: claimsSchema(expecting, 'A rule: the caller must hold one of the values of each claim in it.'),
  });
  return {
    type: 'object',
    description:
      'Turns on roles and claims, even when it is empty: then no caller has a role. Default: every identified caller may do everything.',
    additionalProperties: false,
    properties: {
      roles: {
        type: 'object',
        description: 'Rules of each role.',
        default: {},
        additionalProperties: false,
        properties: Object.fromEntries(ROLES.map((name) => [name, role(name)])),
      },
    },
  };
}
