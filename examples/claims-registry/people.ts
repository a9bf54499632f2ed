/** Address of the issuer in the configuration. */
export const ISSUER = 'http://127.0.0.1:9480';

/** Audience of tokens: `audience` of the provider in the configuration. */
export const RESOURCE = 'http://127.0.0.1:8080';

/** Client of the registry's login pages: `login.clientId` of the provider in the configuration. */
export const PAGES = 'registry-pages';

export interface Person {
  readonly secret: string;
  /** Claims of a token besides subject, audience and times. */
  readonly claims: {
    readonly name: string;
    readonly org?: string;
    readonly team?: readonly string[];
    /** Nested as in tokens of Keycloak. */
    readonly realm_access: { readonly roles: readonly string[] };
  };
}

/** Accounts of the issuer. The secrets are made up. */
export const PEOPLE: ReadonlyMap<string, Person> = new Map([
  [
    'ada',
    {
      secret: 'ada-writes-programs',
      claims: {
        name: 'Ada Quayle',
        org: 'acme',
        team: ['platform', 'on-call'],
        realm_access: { roles: ['publisher'] },
      },
    },
  ],
  [
    'grace',
    {
      secret: 'grace-finds-moths',
      claims: { name: 'Grace Okafor', org: 'acme', team: ['data'], realm_access: { roles: [] } },
    },
  ],
  [
    'root',
    {
      secret: 'root-keeps-the-keys',
      claims: { name: 'Root Operator', org: 'acme', realm_access: { roles: ['registry-admin'] } },
    },
  ],
  [
    'nobody',
    { secret: 'nobody-is-a-guest', claims: { name: 'Nobody Inparticular', realm_access: { roles: [] } } },
  ],
]);
